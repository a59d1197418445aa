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


def find_chart(driver, title):
    """The number of the chart with that title, None if there is none."""
    titles = driver.execute_script("return charts.map(c => c.canvas.getAttribute('aria-label'))")
    found = [i for i, t in enumerate(titles) if t.startswith(title)]
    assert len(found) <= 1, titles
    return found[0] if found else None


def check_causes_over_time(driver, report):
    """Areas on each other, a cause each, whose tops are the sums of the report's shares."""
    device = (report["steady"] or report)["devices"][0]
    number = find_chart(driver, "Idle time by cause, over time")
    assert (number is not None) == bool(device["causes"]), number
    if number is None:
        return
    labels, drawn = driver.execute_script("""
      const chart = charts[arguments[0]];
      return [chart.data.datasets.map(set => set.label), chart.data.datasets.map((set, i) =>
        chart.getDatasetMeta(i).data.map(point => chart.scales.y.getValueForPixel(point.y)))];""",
                                          number)
    assert labels == [c["cause"] for c in device["causes"]], labels
    highest = max(max(area) for area in drawn)
    for i, piece in enumerate(device["timeline"]):
        known = max(piece["busy_ns"] + piece["idle_ns"], 1)
        top = 0
        for area, cause in zip(drawn, device["causes"]):
            top += cause["timeline_ns"][i] / known * 100
            for drawn_top in area[2 * i:2 * i + 2]:
                assert abs(drawn_top - top) < 0.002 * highest + 1e-6, (i, cause["cause"], drawn_top, top)
        assert abs(top - piece["idle_ns"] / known * 100) < 1e-6, i


def check_step(driver, step, title):
    """A bar for each entry, where and as long as the report says, coloured by kind and cause."""
    number = find_chart(driver, title)
    assert (number is not None) == bool(step and step["tracks"]), (title, number)
    if number is None:
        return 0
    bars, colours = driver.execute_script("""
      const chart = charts[arguments[0]], bars = [];
      chart.data.datasets.forEach((set, d) => chart.getDatasetMeta(d).data.forEach((bar, i) => bars.push(
        [set.label, chart.data.labels[Math.round(chart.scales.y.getValueForPixel(bar.y))], set.names[i],
         chart.scales.x.getValueForPixel(bar.base), chart.scales.x.getValueForPixel(bar.x)])));
      return [bars, Object.fromEntries(chart.data.datasets.map(s => [s.label, s.backgroundColor]))];""",
                                          number)
    wanted = []
    for track in step["tracks"]:
        for at, length, name in zip(track["at_ns"], track["length_ns"], track["names"]):
            what = step["names"][name]
            label = "idle: " + what["name"] if what["kind"] == "idle" else what["kind"]
            wanted.append((label, track["name"], what["name"], at / 1e6, (at + length) / 1e6))
    key = lambda bar: (bar[0], bar[1], bar[3], bar[2], bar[4])
    assert len(bars) == len(wanted), (len(bars), len(wanted))
    # As wide as a pixel at least, so that none vanishes.
    pixel = driver.execute_script("""const x = charts[arguments[0]].scales.x;
      return (x.max - x.min) / x.width;""", number)
    for bar, want in zip(sorted(bars, key=key), sorted(wanted, key=key)):
        assert tuple(bar[:3]) == want[:3], (bar, want)
        assert abs(bar[3] - want[3]) < 0.6 * pixel, (bar, want)  # Chart.js leaves room for the axis
        assert abs(bar[4] - want[4]) < 1.01 * pixel, (bar, want)
    idle = [label for label in colours if label.startswith("idle: ")]
    assert len({colours[label] for label in idle}) == len(idle), colours
    return len(bars)


def check_steps(driver, report):
    steps = report["steps"]
    for step in filter(None, (steps["median_step"], steps["worst_step"])):
        assert steps["min_ns"] <= step["length_ns"] <= steps["max_ns"]
    return (check_step(driver, steps["worst_step"], "The longest step") +
            check_step(driver, steps["median_step"], "A step of usual length"))


def check_step_zoom(driver):
    """Its own window: the timeline's does not move."""
    number = find_chart(driver, "The longest step")
    if number is None:
        return
    windows = lambda: driver.execute_script(
        "return [0, arguments[0]].map(i => [charts[i].scales.x.min, charts[i].scales.x.max])", number)
    before = windows()
    canvas = driver.execute_script("return charts[arguments[0]].canvas", number)
    canvas.send_keys("+")
    after = windows()
    assert after[0] == before[0], (before, after)
    assert abs((after[1][1] - after[1][0]) * 2 - (before[1][1] - before[1][0])) < 1e-9 * before[1][1]
    canvas.send_keys("0")
    assert windows() == before


def check_zoom(driver):
    window = lambda: driver.execute_script(
        "const x = charts[0].scales.x; return [x.min, x.max]")
    causes = find_chart(driver, "Idle time by cause, over time")
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
    if causes is not None:  # one window for both
        both = driver.execute_script("const x = charts[arguments[0]].scales.x; return [x.min, x.max]", causes)
        assert both == window(), (both, window())
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
        check_causes_over_time(driver, report)
        bars = check_steps(driver, report)
        check_zoom(driver)
        check_step_zoom(driver)
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
        print(f"{name}: {len(shown)} figures and {bars} bars equal the report's"
              f"{', dark' if dark else ''}")
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
    for step in filter(None, (report["steps"]["median_step"], report["steps"]["worst_step"])):
        for entry in [n for n in step["names"] if n["kind"] != "idle"] + step["tracks"]:
            entry["name"] = HOSTILE + entry["name"]
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
