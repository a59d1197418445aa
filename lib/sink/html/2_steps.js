// A single step as it ran: streams, threads and the device's idle time, one line each.

const stepColours = {
  compute: colours.compute, communication: colours.communication, copy: colours.copy,
  call: '#8d949c', 'blocking call': '#c23b57',
};
const kLongest = 40;

// One dataset for each kind, and for each cause of idle time.
function stepSets(step) {
  const sets = new Map();
  step.tracks.forEach(track => track.at_ns.forEach((at, i) => {
    const {name, kind} = step.names[track.names[i]];
    const label = kind === 'idle' ? 'idle: ' + name : kind;
    if (!sets.has(label)) {
      const colour = kind === 'idle' ? causeColours[name] || colours.unknown : stepColours[kind] || colours.unknown;
      sets.set(label, {label, backgroundColor: colour, grouped: false, barPercentage: 0.9,
        categoryPercentage: 0.9, minBarLength: 1, names: [], data: []});
    }
    const set = sets.get(label);
    set.data.push({x: [at / 1e6, (at + track.length_ns[i]) / 1e6], y: track.name});
    set.names.push(name);
  }));
  return [...sets.values()];
}

function stepFigures(step, path) {
  const out = element('div', {});
  const sum = list => list.reduce((a, b) => a + b, 0);
  out.append(table('Tracks; times of a track are sums', [text('track'), number('entries'), number('time'), number('of the step')],
    step.tracks.map(t => [t.name, grouped(t.at_ns.length, 0), duration(sum(t.length_ns)), percent(sum(t.length_ns), step.length_ns)])));
  const entries = step.tracks.flatMap((track, t) => track.at_ns.map((at, i) => ({track, t, i, at})));
  entries.sort((a, b) => b.track.length_ns[b.i] - a.track.length_ns[a.i] || a.at - b.at);
  out.append(table(`The longest ${Math.min(entries.length, kLongest)} of ${entries.length} entries`,
    [text('what'), text('track'), number('after the step\u2019s begin'), number('length')],
    entries.slice(0, kLongest).map(({track, t, i, at}) => [step.names[track.names[i]].name, track.name,
      figure(`${path}.tracks[${t}].at_ns[${i}]`, at, duration(at)),
      figure(`${path}.tracks[${t}].length_ns[${i}]`, track.length_ns[i], duration(track.length_ns[i]))])));
  return out;
}

function stepChart(step, path, title, note) {
  if (!step || !step.tracks.length || step.length_ns <= 0) return null;
  const part = chartFigure(title, `${step.tracks.length} tracks over ${duration(step.length_ns)}. ` +
    'Plus and minus zoom, arrows move.', {
      type: 'bar',
      data: {labels: step.tracks.map(t => t.name), datasets: stepSets(step)},
      options: {indexAxis: 'y', interaction: {mode: 'point'}, plugins: {tooltip: {callbacks: {
        title: items => items.length ? items[0].label : '',
        label: item => {
          const [begin, end] = item.raw.x;
          return `${item.dataset.names[item.dataIndex]}: ${duration((end - begin) * 1e6)} at ${duration(begin * 1e6)}`;
        }}}}, scales: {
        x: {type: 'linear', title: {display: true, text: 'milliseconds since the step\u2019s begin'}},
        y: {ticks: {autoSkip: false}}}},
    }, stepFigures(step, path), true);
  part.figure.querySelector('.canvas').style.height = `${8 + 1.7 * step.tracks.length}rem`;
  const words = element('p', {class: 'quiet'}, note);
  if (step.left_out > 0) {
    words.append(` ${grouped(step.left_out, 0)} operations, calls or idle stretches are not shown: of each ` +
                 'sort the first 5,000 are kept.');
  }
  part.figure.querySelector('figcaption').after(words);
  timeWindow(step.length_ns / 1e6, ms => duration(ms * 1e6)).join(part);
  return part;
}

function stepCharts(steps) {
  const worst = steps.worst_step;
  const median = steps.median_step;
  return [
    worst && stepChart(worst, 'steps.worst_step', `The longest step: number ${worst.index}, ${duration(worst.length_ns)}`,
      steps.worst_cause ? `What it lost its time to: ${steps.worst_cause}.` : 'It lost no more time to one cause than the others.'),
    median && stepChart(median, 'steps.median_step', `A step of usual length: number ${median.index}, ${duration(median.length_ns)}`,
      `The median is ${duration(steps.median_ns)}. Only a few steps can be kept while a program runs: this one was ` +
      'nearest to the median of the steps before it.'),
  ].filter(p => p);
}
