// The page: sections of the chosen scope, in the order of the text page.

const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const kMostRows = 50;

function tiles(device, path) {
  const parts = [
    ['compute', 'compute_ns', colours.compute], ['exposed communication', 'comm_exposed_ns', colours.communication],
    ['copies only', 'copy_only_ns', colours.copy], ['idle', 'idle_ns', colours.idle],
    ['unknown', 'unknown_ns', colours.unknown],
  ].filter(([, key]) => device[key] > 0 || key === 'compute_ns' || key === 'idle_ns');
  const list = element('ul', {class: 'tiles'});
  const tile = (label, key, colour, share) => list.append(element('li', {style: `--tile: ${colour}`},
    element('span', {class: 'number'}, share, ' '),
    element('span', {class: 'label'}, label + ', ', figure(`${path}.${key}`, device[key], duration(device[key])))));
  tile('window', 'window_ns', colours.unknown, '100 %');
  for (const [label, key, colour] of parts) tile(label, key, colour, percent(device[key], device.window_ns));
  return list;
}

function occupancyOf(k) {
  const o = k.occupancy;
  if (!o || !o.max_warps) return ['-', '-'];
  const limit = o.warps < o.max_warps && o.limiter ? ` (${o.limiter})` : '';
  return [percent(o.warps, o.max_warps) + limit, grouped(o.waves, 1)];
}

function kernels(device, path) {
  const shown = device.kernels.slice(0, kMostRows);
  const rows = shown.map((k, i) => [element('span', {title: k.full_name}, k.name), k.family,
    figure(`${path}.kernels[${i}].total_ns`, k.total_ns, duration(k.total_ns)),
    percent(k.total_ns, device.kernel_sum_ns),
    figure(`${path}.kernels[${i}].calls`, k.calls, grouped(k.calls, 0)),
    duration(k.calls ? k.total_ns / k.calls : 0), duration(k.median_ns), duration(k.p99_ns),
    percent(k.alone_ns, device.window_ns), ...occupancyOf(k)]);
  const more = device.kernels.length - shown.length;
  return table(`Kernels${more > 0 ? `, the first ${shown.length} of ${device.kernels.length}` : ''}; ` +
    'times are sums over streams', [text('kernel'), text('family'), number('total'),
    number('of kernel time'), number('calls'), number('mean'), number('median'), number('p99'),
    number('alone, of the window'), number('occupancy at most (limit)'), number('waves')], rows);
}

function longestGaps(device, path) {
  return table('Longest idle gaps', [number('after the first operation'), number('length'), text('cause'),
    text('before'), text('after')], device.gaps.longest.map((g, i) => [duration(g.at_ns),
    figure(`${path}.gaps.longest[${i}].length_ns`, g.length_ns, duration(g.length_ns)), g.cause, g.before, g.after]));
}

function deviceSection(device, path) {
  const out = element('section', {},
    element('h2', {}, `GPU ${device.device} ${device.name}`.trim()), tiles(device, path));
  const grid = element('div', {class: 'charts'});
  const parts = [...timelineCharts(device, path), causeChart(device, path), gapChart(device, path)].filter(p => p);
  for (const part of parts) grid.append(part.figure);
  out.append(element('h3', {}, 'Where the time went'), grid);
  if (device.gaps.longest.length) out.append(longestGaps(device, path));
  if (device.findings.length) {
    out.append(element('h3', {}, 'Findings'), table('Findings', [text('finding'), text('what'), number('time')],
      device.findings.map(f => [f.finding, f.text, duration(f.ns)])));
  }
  if (device.kernels.length) out.append(element('h3', {}, 'Kernels'), kernels(device, path));
  return {out, draw: () => parts.forEach(p => p.draw())};
}

function hostSections(scope, path) {
  const out = element('section', {}, element('h2', {}, 'Copies and the CPU'));
  const o = scope.overlap;
  if (o.window_ns > 0) {
    out.append(table(`CPU and GPU, of ${duration(o.window_ns)} (CPU work: ${o.basis})`,
      [text('who worked'), number('time'), number('of the window')],
      [['both', 'both_ns'], ['GPU only', 'gpu_only_ns'], ['CPU only', 'cpu_only_ns'], ['neither', 'neither_ns']].map(
        ([label, key]) => [label, figure(`${path}overlap.${key}`, o[key], duration(o[key])), percent(o[key], o.window_ns)])));
  }
  if (scope.copies.length) {
    out.append(table('Copies and sets; times are sums over streams', [text('direction'), text('from'), text('to'), number('count'),
      number('size'), number('time'), number('hidden behind kernels'), number('GB/s')],
      scope.copies.map(c => [c.direction, c.source, c.destination, grouped(c.count, 0), bytes(c.bytes),
        duration(c.total_ns), percent(c.hidden_ns, c.total_ns), c.total_ns > 0 ? grouped(c.bytes / c.total_ns, 1) : '-'])));
  }
  if (scope.waits.length) {
    out.append(table('Blocking calls, and what the GPU did meanwhile', [text('call'), number('calls'), number('time'),
      number('GPU busy'), number('GPU idle')], scope.waits.map(w => [w.name, grouped(w.calls, 0), duration(w.total_ns),
      duration(w.gpu_busy_ns), duration(w.gpu_idle_ns)])));
  }
  if (scope.host_calls.length) {
    out.append(table('CUDA calls', [text('call'), text('kind'), number('calls'), number('time'), number('median'),
      number('p99'), number('blocking')], scope.host_calls.slice(0, kMostRows).map(h => [h.name, h.category,
      grouped(h.calls, 0), duration(h.total_ns), duration(h.median_ns), duration(h.p99_ns), duration(h.blocking_ns)])));
  }
  if (scope.ranges.length) {
    out.append(table('Ranges', [text('range'), number('calls'), number('CPU'), number('GPU span'), number('GPU busy'),
      number('GPU idle'), number('kernels')], scope.ranges.slice(0, 200).map(r => [r.path, grouped(r.calls, 0),
      duration(r.host_ns), duration(r.device_span_ns), duration(r.device_union_ns), duration(r.idle_ns),
      grouped(r.kernels, 0)])));
  }
  return out;
}

function adviceSection() {
  if (!report.advice.length) return '';
  const out = element('section', {}, element('h2', {}, 'What to change'));
  const list = element('ol', {class: 'advice'});
  for (const a of report.advice) {
    const bound = a.after_ms < a.before_ms ?
      ` ${grouped(a.before_ms, 1)} -> ${grouped(a.after_ms, 1)} ms${report.steady ? ' a step' : ''} at best` :
      ' What it wins is not known here.';
    list.append(element('li', {}, a.text, element('span', {class: 'quiet'}, bound)));
  }
  out.append(list);
  return out;
}

// What stands in steps.source, in words that say what a step is taken to be.
function stepSource(source) {
  if (source === 'marked') return 'Steps as the program marks them (gapscope_step)';
  if (source.startsWith('range ')) return `Steps are the NVTX ranges named ${source.slice(6)}`;
  const several = source.replace(/^detected,? */, '');
  return 'The program marks no steps: these are iterations, found in the repeating order of its kernels' +
    (several && ` (${several})`) + '. With gradient accumulation several of them make one optimiser step';
}

function stepsSection() {
  const s = report.steps;
  if (!s.count) return {out: '', draw() {}};
  const out = element('section', {}, element('h2', {}, 'Steps'), element('p', {class: 'quiet'}, stepSource(s.source) + '.'),
    table(`${s.warmup_steps} steps of warm-up left out`,
    [number('steps'), number('mean'), number('median'), number('p90'), number('p99'), number('longest'),
     number('which'), text('its cause')],
    [[figure('steps.count', s.count, grouped(s.count, 0)), duration(s.total_ns / s.count),
      figure('steps.median_ns', s.median_ns, duration(s.median_ns)), duration(s.p90_ns), duration(s.p99_ns),
      duration(s.max_ns), grouped(s.worst_index, 0), s.worst_cause]]));
  const parts = stepCharts(s);
  const grid = element('div', {class: 'charts'});
  for (const part of parts) grid.append(part.figure);
  out.append(grid);
  return {out, draw: () => parts.forEach(p => p.draw())};
}

function nvmlRows(gpu, end_ns) {
  const n = gpu.nvml;
  if (!n) return [];
  const ofMost = (value, most, unit, name) => value > 0 &&
    grouped(value / unit, 0) + (most > 0 ? ` of ${grouped(most / unit, 0)}` : '') + ' ' + name;
  const state = [['SM ', ofMost(n.sm_clock_mhz, n.max_sm_clock_mhz, 1, 'MHz')],
    ['memory ', ofMost(n.memory_clock_mhz, n.max_memory_clock_mhz, 1, 'MHz')],
    ['', ofMost(n.power_mw, n.power_limit_mw, 1000, 'W')], ['', ofMost(n.temperature_c, 0, 1, 'C')],
    ['', n.processes > 0 && `${n.processes} ${n.processes === 1 ? 'process' : 'processes'}`]]
    .filter(([, piece]) => piece).map(([before, piece]) => before + piece).join(', ');
  const over = n.utilisation_since_ns > 0 ?
    ` over the last ${duration(Math.max(end_ns - n.utilisation_since_ns, 0))}; busy with this process ` +
    `${grouped(n.own_busy_pct, 1)} % (short gaps and other processes count as use for NVML)` : ' in the last moment';
  return [[`GPU ${gpu.device} at the end`, state],
          [`GPU ${gpu.device} as NVML saw it`, `in use ${grouped(n.utilisation_pct, 1)} %${over}`]];
}

function environmentSection() {
  const p = report.process;
  const e = p.environment;
  const rows = [['command', p.command], ['host', p.hostname], ['rank', p.rank], ['operating system', e.os],
    ['kernel', e.kernel], ['CPU', e.cpu], ['driver', p.driver_version], ['gapscope', p.version],
    ['CUPTI', [p.cupti_version, p.cupti_path].filter(t => t).join(' ')],
    ['Python', [e.python_version, e.python_path].filter(t => t).join(' ')], ['torch', e.torch_version],
    ['conda environment', [e.conda_name, e.conda_prefix].filter(t => t).join(' ')],
    ['virtualenv', e.virtualenv_prefix], ['git revision', [e.git_revision, e.git_branch].filter(t => t).join(' ')],
    ...e.gpus.flatMap(g => [[`GPU ${g.device}`, [g.name, g.uuid].filter(t => t).join(' ')], ...nvmlRows(g, p.end_ns)]),
    ...e.libraries.map(l => [l.name, [l.version, l.path].filter(t => t).join(' ')]),
    ...e.variables.map(v => [v.name, v.value])].filter(([, value]) => value);
  const r = report.records;
  const counts = Object.keys(r).map(key => [key, figure(`records.${key}`, r[key], grouped(r[key], 0))]);
  return element('section', {}, element('h2', {}, 'Environment and records'),
    table('Environment', [text('what'), text('value')], rows),
    element('details', {}, element('summary', {}, 'Records'), table('Records', [text('count of'), number('records')], counts)),
    element('details', {}, element('summary', {}, 'The page as text'), element('pre', {tabindex: '0'}, data.page)));
}

function render(steady) {
  disposeCharts();
  const scope = steady ? report.steady : report;
  const path = steady ? 'steady.' : '';
  const main = document.getElementById('main');
  main.replaceChildren();
  if (report.warnings.length) {
    main.append(element('ul', {class: 'warnings', role: 'note', 'aria-label': 'Warnings'},
                        ...report.warnings.map(w => element('li', {}, w))));
  }
  const devices = scope.devices.map((d, i) => deviceSection(d, `${path}devices[${i}]`));
  if (!devices.length) main.append(element('p', {}, 'No GPU operation was seen.'));
  const steps = stepsSection();
  main.append(adviceSection(), ...devices.map(d => d.out), steps.out, hostSections(scope, path),
              environmentSection());
  devices.forEach(d => d.draw());
  steps.draw();
  for (const button of document.querySelectorAll('#scopes button')) {
    button.setAttribute('aria-pressed', String((button.dataset.scope === 'steady') === steady));
  }
}

function start() {
  const p = report.process;
  document.title = 'gapscope: ' + p.command;
  document.getElementById('command').textContent = p.command;
  document.getElementById('origin').textContent = [p.hostname && `on ${p.hostname}`, p.rank && `rank ${p.rank}`,
    p.start_ns > 0 && new Date(p.start_ns / 1e6).toISOString().replace('T', ' ').slice(0, 19) + ' UTC',
    p.exit_status && `exit code ${p.exit_status}`].filter(t => t).join(', ');
  if (report.steady) {
    const nav = document.getElementById('scopes');
    for (const [scope, label] of [['steady', 'Steady state'], ['whole', 'Whole run']]) {
      const button = element('button', {type: 'button', 'data-scope': scope}, label);
      button.addEventListener('click', () => render(scope === 'steady'));
      nav.append(button);
    }
  }
  render(Boolean(report.steady));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(chart => {
    applyColours(chart);
    chart.update();
  }));
  addEventListener('beforeprint', () => {
    for (const box of document.querySelectorAll('figure details')) box.open = true;
    charts.forEach(chart => {
      applyColours(chart, {front: '#000', line: '#bbb'});
      chart.resize();
      chart.update();
    });
  });
  addEventListener('afterprint', () => charts.forEach(chart => {
    applyColours(chart);
    chart.update();
  }));
}

start();
