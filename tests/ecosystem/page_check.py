"""The HTML page in headless Chromium: no console error, the report's figures, zoom, keys, print.

page_check.py GAPSCOPE SOURCE WORK; leaves screenshots in WORK for a person to look at."""
import base64
import json
import os
import subprocess
import sys

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>"


def browser(dark):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,2400",
                 "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options,
                              service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    return driver


def value_at(report, path):
    value = report
    for part in path.replace("[", ".").replace("]", "").split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def check_figures(driver, report, at_least):
    shown = driver.execute_script(
        "return [...document.querySelectorAll('[data-path]')].map("
        "e => [e.dataset.path, e.dataset.value, e.textContent])")
    assert len(shown) >= at_least, f"only {len(shown)} figures"
    for path, value, text in shown:
        assert float(value) == float(value_at(report, path)), (path, value)
        assert text, path
    return shown


def check_console(driver):
    problems = [e for e in driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
    assert not problems, problems


def check_network(driver, url):
    asked = [json.loads(e["message"])["message"] for e in driver.get_log("performance")]
    urls = {m["params"]["request"]["url"] for m in asked
            if m["method"] == "Network.requestWillBeSent"}
    assert all(u == url or u.startswith("data:") for u in urls), urls


def check_timeline(driver, report):
    """The areas end where the slices' shares say, on both sides of each step."""
    scope = report["steady"] or report
    drawn = driver.execute_script("""
      const chart = charts[0];
      return chart.data.datasets.map((set, i) => chart.getDatasetMeta(i).data.map(
        point => chart.scales.y.getValueForPixel(point.y)));""")
    for i, piece in enumerate(scope["devices"][0]["timeline"]):
        known = max(piece["busy_ns"] + piece["idle_ns"], 1)
        tops = [piece["compute_ns"] / known * 100, piece["busy_ns"] / known * 100,
                (piece["busy_ns"] + piece["idle_ns"]) / known * 100]
        for area, top in zip(drawn, tops):
            assert abs(area[2 * i] - top) < 0.1 and abs(area[2 * i + 1] - top) < 0.1, (i, tops)


def check_zoom(driver):
    window = lambda: driver.execute_script(
        "const x = charts[0].scales.x; return [x.min, x.max]")
    whole = window()
    driver.find_element(By.XPATH, "//button[text()='Zoom in']").click()
    near = window()
    assert abs((near[1] - near[0]) * 2 - (whole[1] - whole[0])) < 1e-6 * whole[1], (whole, near)
    canvas = driver.find_element(By.CSS_SELECTOR, "canvas")
    canvas.send_keys(Keys.ARROW_RIGHT)
    later = window()
    assert later[0] > near[0], (near, later)
    canvas.send_keys("+")
    assert window()[1] - window()[0] < later[1] - later[0]
    canvas.send_keys("0")
    assert window() == whole, (whole, window())


def check_accessible(driver):
    unnamed = driver.execute_script("""
      const bad = [];
      for (const c of document.querySelectorAll('canvas'))
        if (!c.getAttribute('aria-label') || c.getAttribute('role') !== 'img' ||
            !c.closest('figure').querySelector('table')) bad.push('canvas');
      for (const t of document.querySelectorAll('table'))
        if (!t.caption || !t.querySelector('th[scope=col]')) bad.push('table');
      for (const b of document.querySelectorAll('button')) if (!b.textContent) bad.push('button');
      if (document.documentElement.lang !== 'en') bad.push('lang');
      return bad;""")
    assert not unnamed, unnamed


def screenshot(driver, path):
    height = driver.execute_script("return document.documentElement.scrollHeight")
    driver.set_window_size(1280, min(height + 100, 6000))
    driver.save_screenshot(path)


def look(page, report, work, name, dark):
    driver = browser(dark)
    try:
        url = "file://" + page
        driver.get(url)
        shown = check_figures(driver, report, 50)
        check_timeline(driver, report)
        check_zoom(driver)
        check_accessible(driver)
        if report["steady"]:
            driver.find_element(By.CSS_SELECTOR, "[data-scope=whole]").click()
            check_figures(driver, report, 50)
            driver.find_element(By.CSS_SELECTOR, "[data-scope=steady]").click()
        screenshot(driver, os.path.join(work, f"{name}{'-dark' if dark else ''}.png"))
        if not dark:
            pdf = driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
            with open(os.path.join(work, name + ".pdf"), "wb") as file:
                file.write(base64.b64decode(pdf))
        check_console(driver)
        check_network(driver, url)
        assert driver.execute_script("return document.querySelectorAll('img').length") == 0
        assert driver.title == "gapscope: " + report["process"]["command"], driver.title
        print(f"{name}: {len(shown)} figures equal the report's{', dark' if dark else ''}")
    finally:
        driver.quit()


def main():
    gapscope, source, work = sys.argv[1:]
    pages = []
    for name, recording in [("demo", "samples/demo.gsrec"),
                            ("sync_bound", "tests/data/causes/sync_bound.gsrec")]:
        file = os.path.join(work, name + ".json")
        subprocess.run([gapscope, "replay", os.path.join(source, recording), "-q", "--report", file],
                       check=True)
        pages.append((name, file))
    # The same with hostile names, wherever the program has a say.
    with open(pages[0][1], encoding="utf-8") as file:
        report = json.load(file)
    report["process"]["command"] = HOSTILE
    report["warnings"].append(HOSTILE)
    for kernel in report["devices"][0]["kernels"]:
        kernel["name"] = HOSTILE
    hostile = os.path.join(work, "hostile.json")
    with open(hostile, "w", encoding="utf-8") as file:
        json.dump(report, file)
    pages.append(("hostile", hostile))

    for name, file in pages:
        page = os.path.join(work, name + ".html")
        subprocess.run([gapscope, "show", "--html", file, "-o", page], check=True)
        with open(file, encoding="utf-8") as opened:
            report = json.load(opened)
        look(page, report, work, name, dark=False)
    look(os.path.join(work, "demo.html"), json.load(open(pages[0][1], encoding="utf-8")), work,
         "demo", dark=True)


if __name__ == "__main__":
    main()
