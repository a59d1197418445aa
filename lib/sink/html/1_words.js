'use strict';
// Numbers as the text page shows them, and elements whose text is data, never markup.

const colours = {
  compute: '#2f6fc4', communication: '#8a56c9', copy: '#1d9a8a', idle: '#d9822b', unknown: '#8d949c',
};
const causeColours = {
  'input pipeline': '#d9822b', 'synchronisation': '#c23b57', 'launch-bound': '#b8a11a',
  'garbage collection': '#7b4fb5', 'compilation, module loading': '#2f6fc4',
  'device allocation': '#1d9a8a', 'dependency': '#4f8f3a', 'spacing': '#9aa5b1',
  'no work offered': '#5f6b78', 'CPU throttling': '#a2483a', 'host, other': '#c77fae',
  'profiler': '#6fa8c9', 'unattributed': '#8d949c',
};

function grouped(value, decimals) {
  return value.toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
}

function duration(ns) {
  const size = Math.abs(ns);
  if (size >= 99.95e9) return grouped(ns / 1e9, 1) + ' s';
  if (size >= 0.9995e9) return grouped(ns / 1e9, 2) + ' s';
  if (size >= 0.9995e6) return grouped(ns / 1e6, size >= 99.95e6 ? 0 : 1) + ' ms';
  if (size >= 0.9995e3) return grouped(ns / 1e3, size >= 99.95e3 ? 0 : 1) + ' us';
  return grouped(ns, 0) + ' ns';
}

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  while (value >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    ++unit;
  }
  return grouped(value, unit === 0 || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1) + ' ' + units[unit];
}

function percent(part, whole) {
  return whole > 0 ? grouped(part / whole * 100, 1) + ' %' : '-';
}

// element('td', {class: 'name'}, 'text', child, ...)
function element(tag, attributes, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) out.setAttribute(name, value);
  for (const child of children) out.append(child);
  return out;
}

// A figure that says which value of the report it shows: tests and scripts compare it.
function figure(path, value, text) {
  return element('span', {'data-path': path, 'data-value': String(value)}, text);
}

// columns: [{title, text: bool}], rows: arrays of strings or elements.
function table(caption, columns, rows) {
  const head = element('tr');
  for (const c of columns) head.append(element('th', {scope: 'col', class: c.text ? 'text' : ''}, c.title));
  const body = element('tbody');
  for (const row of rows) {
    const tr = element('tr');
    row.forEach((cell, i) => tr.append(element('td', {class: columns[i].text ? (i ? 'text' : 'text name') : ''}, cell)));
    body.append(tr);
  }
  const out = element('table', {}, element('caption', {}, caption), element('thead', {}, head), body);
  return element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption}, out);
}

function text(title) { return {title, text: true}; }
function number(title) { return {title, text: false}; }
