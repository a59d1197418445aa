// Charts, each with its figures as a table below it, and a window on time that keys and buttons move.

const charts = [];

function palette() {
  const style = getComputedStyle(document.documentElement);
  return {front: style.getPropertyValue('--front').trim(), line: style.getPropertyValue('--line').trim()};
}

function applyColours(chart, given) {
  const {front, line} = given || palette();
  for (const scale of Object.values(chart.options.scales || {})) {
    scale.ticks = Object.assign(scale.ticks || {}, {color: front});
    scale.grid = Object.assign(scale.grid || {}, {color: line});
    if (scale.title) scale.title.color = front;
  }
  chart.options.plugins.legend.labels = {color: front};
}

function disposeCharts() {
  while (charts.length) charts.pop().destroy();
}

// Returns {figure, chart, canvas}; describe: what a screen reader says of it.
function chartFigure(title, describe, config, figures, wide) {
  const canvas = element('canvas', {role: 'img', 'aria-label': title + '. ' + describe, tabindex: '0'});
  const box = element('div', {class: 'canvas'}, canvas);
  const out = element('figure', {class: wide ? 'wide' : ''}, element('figcaption', {}, title), box,
                      element('details', {}, element('summary', {}, 'Figures of this chart'), figures));
  config.options = Object.assign({responsive: true, maintainAspectRatio: false, animation: false},
                                 config.options);
  config.options.plugins = Object.assign({legend: {display: true}}, config.options.plugins);
  // The canvas must stand in the page before Chart.js measures it.
  return {figure: out, canvas, draw() {
    const chart = new Chart(canvas, config);
    applyColours(chart);
    chart.update();
    charts.push(chart);
    return chart;
  }};
}

// A window [min, max] on the time from 0 to whole, which buttons, keys and the wheel (with Ctrl) move;
// all charts that join() show the same window. words: how a time of the axis reads.
function timeWindow(whole, words) {
  const members = [];
  let view = {min: 0, max: whole};
  function show(min, max) {
    const width = Math.min(Math.max(max - min, whole / 10000), whole);
    min = Math.min(Math.max(min, 0), whole - width);
    view = {min, max: min + width};
    for (const {chart, status} of members) {
      status.textContent = words(view.min) + ' to ' + words(view.max);
      if (!chart) continue;
      chart.options.scales.x.min = view.min;
      chart.options.scales.x.max = view.max;
      chart.update();
    }
  }
  function zoom(factor, at) {
    const centre = at === undefined ? (view.min + view.max) / 2 : at;
    show(centre - (centre - view.min) * factor, centre + (view.max - centre) * factor);
  }
  const move = share => show(view.min + (view.max - view.min) * share, view.max + (view.max - view.min) * share);
  const actions = {
    'Zoom in': () => zoom(0.5), 'Zoom out': () => zoom(2), 'Earlier': () => move(-0.5),
    'Later': () => move(0.5), 'Whole': () => show(0, whole),
  };
  const keys = {'+': 'Zoom in', '=': 'Zoom in', '-': 'Zoom out', ArrowLeft: 'Earlier',
                ArrowRight: 'Later', '0': 'Whole'};
  function join(part) {
    const status = element('span', {class: 'quiet', role: 'status', 'data-zoom': ''});
    const member = {chart: null, status};
    members.push(member);
    const controls = element('div', {class: 'controls', role: 'group', 'aria-label': 'Window on time'});
    for (const [name, action] of Object.entries(actions)) {
      const button = element('button', {type: 'button'}, name);
      button.addEventListener('click', action);
      controls.append(button);
    }
    controls.append(status);
    part.canvas.addEventListener('keydown', event => {
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      actions[action]();
    });
    part.canvas.addEventListener('wheel', event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, member.chart.scales.x.getValueForPixel(event.offsetX));
    }, {passive: false});
    part.figure.querySelector('.canvas').after(controls);
    const draw = part.draw;
    part.draw = () => {
      member.chart = draw();
      show(view.min, view.max);
      return member.chart;
    };
  }
  return {join};
}

function causeChart(device, path) {
  if (!device.causes.length) return null;
  const rows = device.causes.map((c, i) => [c.cause,
    figure(`${path}.causes[${i}].idle_ns`, c.idle_ns, duration(c.idle_ns)),
    percent(c.idle_ns, device.window_ns), grouped(c.gaps, 0),
    c.evidence.map(e => `${e.text} (${duration(e.ns)})`).join(', ')]);
  return chartFigure('Idle time by cause', `Largest: ${device.causes[0].cause}.`, {
    type: 'bar',
    data: {labels: device.causes.map(c => c.cause), datasets: [{label: 'ms idle',
      data: device.causes.map(c => c.idle_ns / 1e6),
      backgroundColor: device.causes.map(c => causeColours[c.cause] || colours.unknown)}]},
    options: {indexAxis: 'y', plugins: {legend: {display: false}},
      scales: {x: {title: {display: true, text: 'milliseconds'}}, y: {ticks: {autoSkip: false}}}},
  }, table('Causes of idle time', [text('cause'), number('idle'), number('of the window'),
                                   number('gaps'), text('evidence')], rows));
}

function gapChart(device, path) {
  const bins = device.gaps.histogram;
  if (!bins.length) return null;
  const rows = bins.map((b, i) => [duration(b.from_ns),
    figure(`${path}.gaps.histogram[${i}].count`, b.count, grouped(b.count, 0)),
    figure(`${path}.gaps.histogram[${i}].total_ns`, b.total_ns, duration(b.total_ns))]);
  return chartFigure('Idle gaps by length', `${grouped(device.gaps.count, 0)} gaps; half of the idle ` +
    `time is in gaps of ${duration(device.gaps.half_ns)} or more.`, {
      type: 'bar',
      data: {labels: bins.map(b => duration(b.from_ns)), datasets: [{label: 'ms idle in gaps of this length or up to twice it',
        data: bins.map(b => b.total_ns / 1e6), backgroundColor: colours.idle}]},
      options: {plugins: {legend: {display: false}}, scales: {
        x: {title: {display: true, text: 'length, from'}}, y: {title: {display: true, text: 'ms of idle time'}}}},
    }, table('Gaps by length', [number('length, from'), number('gaps'), number('idle')], rows));
}
