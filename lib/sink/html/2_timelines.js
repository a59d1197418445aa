// A device's time over the run, in slices: areas that lie on each other.

// Each area lies on the one below: Chart.js's own stacking adds points of equal time, of which a
// step has two. parts: of each slice, the share that is this area's own.
function areas(slices, seconds, layers) {
  const below = slices.map(() => 0);
  return layers.map(({label, colour, share}, layer) => {
    const parts = slices.map((s, i) => share(s, i));
    parts.forEach((part, i) => { below[i] += part; });
    const tops = below.slice();
    return {label, backgroundColor: colour, borderColor: colour, borderWidth: 1, pointRadius: 0,
      fill: layer ? '-1' : 'origin', parts: parts.flatMap(p => [p, p]),
      data: tops.flatMap((y, i) => [{x: i * seconds, y}, {x: (i + 1) * seconds, y}])};
  });
}

function areaConfig(datasets, y) {
  return {
    type: 'line',
    data: {datasets},
    options: {interaction: {mode: 'index', intersect: false}, plugins: {tooltip: {
      filter: item => item.dataset.parts[item.dataIndex] > 0,
      callbacks: {
        title: items => items.length ? duration(items[0].parsed.x * 1e9) : '',
        label: item => `${item.dataset.label}: ${grouped(item.dataset.parts[item.dataIndex], 1)} %`}}}, scales: {
      x: {type: 'linear', title: {display: true, text: 'seconds since the first operation'}}, y}},
  };
}

function knownTime(slice) {
  return Math.max(slice.busy_ns + slice.idle_ns, 1);
}

function busyChart(device, path) {
  const slices = device.timeline;
  const percentage = of => s => of(s) / knownTime(s) * 100;
  const sets = areas(slices, device.slice_ns / 1e9, [
    {label: 'compute', colour: colours.compute, share: percentage(s => s.compute_ns)},
    {label: 'other busy', colour: colours.copy, share: percentage(s => s.busy_ns - s.compute_ns)},
    {label: 'idle', colour: colours.idle, share: percentage(s => s.idle_ns)}]);
  const rows = slices.map((s, i) => [duration(i * device.slice_ns),
    figure(`${path}.timeline[${i}].busy_ns`, s.busy_ns, duration(s.busy_ns)),
    figure(`${path}.timeline[${i}].compute_ns`, s.compute_ns, duration(s.compute_ns)),
    figure(`${path}.timeline[${i}].idle_ns`, s.idle_ns, duration(s.idle_ns))]);
  return chartFigure('Busy and idle over time', `Window of ${duration(device.window_ns)} in ` +
    `${slices.length} slices. Plus and minus zoom, arrows move.`,
    areaConfig(sets, {min: 0, max: 100, title: {display: true, text: '% of the known time'}}),
    table('Slices of ' + duration(device.slice_ns),
          [number('begin'), number('busy'), number('compute'), number('idle')], rows), true);
}

function causesOverTimeChart(device, path) {
  const slices = device.timeline;
  // Reports of older versions do not say when.
  const causes = device.causes.map((c, i) => ({...c, path: `${path}.causes[${i}].timeline_ns`}))
    .filter(c => c.timeline_ns.length === slices.length);
  if (!causes.length) return null;
  const sets = areas(slices, device.slice_ns / 1e9, causes.map(c => ({label: c.cause,
    colour: causeColours[c.cause] || colours.unknown, share: (s, i) => c.timeline_ns[i] / knownTime(s) * 100})));
  const rows = slices.map((s, i) => [duration(i * device.slice_ns),
    ...causes.map(c => figure(`${c.path}[${i}]`, c.timeline_ns[i], duration(c.timeline_ns[i])))]);
  return chartFigure('Idle time by cause, over time', `${causes.length} causes, largest first: ` +
    `${causes.map(c => c.cause).join(', ')}. Plus and minus zoom, arrows move.`,
    areaConfig(sets, {min: 0, title: {display: true, text: '% of the known time'}}),
    table('Idle time of slices of ' + duration(device.slice_ns),
          [number('begin'), ...causes.map(c => number(c.cause))], rows), true);
}

// Two charts with one window on time.
function timelineCharts(device, path) {
  if (!device.timeline.length || device.slice_ns <= 0) return [];
  const whole = timeWindow(device.timeline.length * device.slice_ns / 1e9, s => duration(s * 1e9));
  const parts = [busyChart(device, path), causesOverTimeChart(device, path)].filter(p => p);
  parts.forEach(whole.join);
  return parts;
}
