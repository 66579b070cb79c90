// Filters of the HTML report. Without this script the page shows everything.
(() => {
  'use strict';
  const form = document.querySelector('.filters');
  const findings = [...document.querySelectorAll('.finding')];
  const open = () => {
    const target = /^#f\d+$/.test(location.hash) && document.querySelector(location.hash);
    if (target) { target.open = true; target.scrollIntoView(); }
  };
  addEventListener('hashchange', open);
  open();
  if (!form) return;

  const files = [...document.querySelectorAll('.file')];
  const texts = new Map();
  const textOf = (finding) => {
    if (!texts.has(finding)) {
      const path = finding.parentElement.querySelector('.path').textContent;
      texts.set(finding, (path + ' ' + finding.firstElementChild.textContent).toLowerCase());
    }
    return texts.get(finding);
  };
  const boxes = [...form.querySelectorAll('[name=severity]')];
  const buttons = [...document.querySelectorAll('[data-filter]')];
  const fields = form.elements;
  const output = form.querySelector('output');
  const none = document.querySelector('.none');
  const number = (n) => n.toLocaleString('en-US');

  // The bar or number that stands for the filter as it is.
  const press = () => {
    const checked = boxes.filter((box) => box.checked);
    for (const button of buttons) {
      const {filter, value} = button.dataset;
      const on = filter === 'severity' ? checked.length === 1 && checked[0].value === value
                                       : fields[filter].value === value;
      button.setAttribute('aria-pressed', String(on));
    }
  };

  const apply = () => {
    const words = fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const rule = fields.rule.value;
    const folder = fields.folder.value;
    let shown = 0;
    for (const finding of findings) {
      const {dataset} = finding;
      const matches = severities.has(dataset.severity) && (!rule || dataset.rule === rule) &&
          (!folder || dataset.folder === folder) &&
          words.every((word) => textOf(finding).includes(word));
      finding.hidden = !matches;
      shown += matches;
    }
    for (const file of files) file.hidden = !file.querySelector('.finding:not([hidden])');
    none.hidden = shown > 0;
    output.value = shown === findings.length ? `${number(shown)} findings`
                                             : `${number(shown)} of ${number(findings.length)} findings`;
    press();
  };

  for (const button of buttons) {
    button.disabled = false;
    button.addEventListener('click', () => {
      const {filter, value} = button.dataset;
      const off = button.getAttribute('aria-pressed') === 'true';
      if (filter === 'severity') {
        for (const box of boxes) box.checked = off || box.value === value;
      } else {
        fields[filter].value = off ? '' : value;
      }
      apply();
    });
  }
  const unfold = fields.unfold;
  const label = () => {
    unfold.textContent = findings.some((finding) => finding.open) ? 'Fold all' : 'Unfold all';
  };
  unfold.addEventListener('click', () => {
    const fold = findings.some((finding) => finding.open);
    for (const finding of findings) if (!finding.hidden) finding.open = !fold;
    if (fold) for (const finding of findings) finding.open = false;
    label();
  });
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(apply));
  document.addEventListener('toggle', label, true);
  form.hidden = false;
  label();
  apply();
})();
