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

// Buttons, keys and the wheel (with Ctrl) that move the window [min, max] of a chart's time axis.
function addZoom(part, whole) {
  const status = element('span', {class: 'quiet', role: 'status', 'data-zoom': ''});
  let view = {min: 0, max: whole};
  let chart = null;
  function show(min, max) {
    const width = Math.min(Math.max(max - min, whole / 1000), whole);
    min = Math.min(Math.max(min, 0), whole - width);
    view = {min, max: min + width};
    chart.options.scales.x.min = view.min;
    chart.options.scales.x.max = view.max;
    chart.update();
    status.textContent = duration(view.min * 1e9) + ' to ' + duration(view.max * 1e9);
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
    zoom(event.deltaY > 0 ? 1.25 : 0.8, chart.scales.x.getValueForPixel(event.offsetX));
  }, {passive: false});
  part.figure.querySelector('.canvas').after(controls);
  const draw = part.draw;
  part.draw = () => {
    chart = draw();
    show(0, whole);
    return chart;
  };
}

function timelineChart(device, path) {
  const slices = device.timeline;
  if (!slices.length || device.slice_ns <= 0) return null;
  const seconds = device.slice_ns / 1e9;
  const share = (value, s) => value / Math.max(s.busy_ns + s.idle_ns, 1) * 100;
  // Each area lies on the one below: Chart.js's own stacking adds points of equal time, of which a
  // step has two.
  const points = of => slices.flatMap((s, i) =>
    [{x: i * seconds, y: of(s)}, {x: (i + 1) * seconds, y: of(s)}]);
  const set = (label, colour, below, top) => ({label, data: points(s => share(top(s), s)),
    parts: slices.flatMap(s => Array(2).fill(share(top(s) - below(s), s))), backgroundColor: colour,
    borderColor: colour, borderWidth: 1, pointRadius: 0, fill: '-1'});
  const none = () => 0, compute = s => s.compute_ns, busy = s => s.busy_ns;
  const sets = [set('compute', colours.compute, none, compute), set('other busy', colours.copy, compute, busy),
    set('idle', colours.idle, busy, s => s.busy_ns + s.idle_ns)];
  sets[0].fill = 'origin';
  const rows = slices.map((s, i) => [duration(i * device.slice_ns),
    figure(`${path}.timeline[${i}].busy_ns`, s.busy_ns, duration(s.busy_ns)),
    figure(`${path}.timeline[${i}].compute_ns`, s.compute_ns, duration(s.compute_ns)),
    figure(`${path}.timeline[${i}].idle_ns`, s.idle_ns, duration(s.idle_ns))]);
  const part = chartFigure('Busy and idle over time', `Window of ${duration(device.window_ns)} in ` +
    `${slices.length} slices. Plus and minus zoom, arrows move.`, {
      type: 'line',
      data: {datasets: sets},
      options: {interaction: {mode: 'index', intersect: false}, plugins: {tooltip: {callbacks: {
        title: items => duration(items[0].parsed.x * 1e9),
        label: item => `${item.dataset.label}: ${grouped(item.dataset.parts[item.dataIndex], 1)} %`}}}, scales: {
        x: {type: 'linear', title: {display: true, text: 'seconds since the first operation'}},
        y: {min: 0, max: 100, title: {display: true, text: '% of the known time'}}}},
    }, table('Slices of ' + duration(device.slice_ns),
             [number('begin'), number('busy'), number('compute'), number('idle')], rows), true);
  addZoom(part, slices.length * seconds);
  return part;
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
