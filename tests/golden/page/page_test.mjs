// node page_test.mjs FOLDER FILE.html…
//
// Opens HTML reports in headless Chromium, at desktop and phone width, light and dark, and fails on
// errors in the console, on anything loaded from elsewhere, on a page wider than its window, on
// filters that do not filter, on dots that do not stand at their notes, and on markup that came from
// a source. FOLDER takes what is installed.
import {basename, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {browser, fail} from './browser.mjs';

const [folder, ...files] = process.argv.slice(2);
if (!folder || files.length === 0) fail('usage: page_test.mjs FOLDER FILE.html…');

const found = [];
let where = '';
const check = (condition, what) => condition || found.push(`${where}: ${what}`);

async function open(page, file) {
  const url = pathToFileURL(resolve(file)).href;
  page.on('console', (message) => check(message.type() !== 'error', `console: ${message.text()}`));
  page.on('pageerror', (error) => check(false, `script: ${error}`));
  page.on('dialog', (dialog) => { check(false, 'a dialog opened'); dialog.dismiss(); });
  page.on('request', (request) => check(request.url() === url || request.url().startsWith('data:'),
                                        `loads ${request.url()}`));
  await page.goto(url);
}

async function checkWidth(page, state) {
  const {needed, given} = await page.evaluate(
      () => ({needed: document.documentElement.scrollWidth, given: innerWidth}));
  check(needed <= given, `${state}: ${needed} pixels wide in a window of ${given}`);
}

// What the page itself is made of, and nothing that a source brought in.
async function checkMarkup(page) {
  const strange = await page.evaluate(() => [
    ...document.querySelectorAll('img, iframe, object, embed, base, link:not([rel=icon]), i i, b b'),
    ...[...document.scripts].slice(1), ...[...document.querySelectorAll('style')].slice(1),
    ...[...document.querySelectorAll('a')].filter((a) => !/^https:\/\/torchleak\.readthedocs\.io\//.test(a.href)),
    ...[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /^on|^style$/.test(a.name))),
  ].map((element) => element.outerHTML.slice(0, 100)));
  check(strange.length === 0, `unexpected markup: ${strange.join('\n')}`);
}

async function checkDots(page) {
  const apart = await page.evaluate(() => {
    const middle = (element) => {
      const box = element.getBoundingClientRect();
      return box.top + box.height / 2;
    };
    return [...document.querySelectorAll('.ex')].flatMap((excerpt) => {
      const dots = [...excerpt.querySelectorAll('g')].filter((g) => g.querySelector('text'));
      return [...excerpt.querySelectorAll('.n')].map((note) => {
        const number = note.querySelector('b').textContent;
        const dot = dots.find((g) => g.textContent === number);
        return dot ? Math.abs(middle(dot.querySelector('circle')) - middle(note)) : 1000;
      });
    }).filter((distance) => distance > 1.5);
  });
  check(apart.length === 0, `dots away from their notes: ${apart}`);
}

const shown = (page) => page.$$eval('.finding', (all) => all.filter((f) => f.offsetParent !== null).map((f) => ({
  severity: f.dataset.severity, rule: f.dataset.rule, folder: f.dataset.folder,
  text: (f.parentElement.querySelector('.path').textContent + ' ' + f.querySelector('summary').textContent).toLowerCase(),
})));

// Every way to filter shows what matches, all of it and nothing else.
async function checkFilters(page) {
  const all = await shown(page);
  const expect = async (what, matches) => {
    const now = await shown(page);
    check(now.length === all.filter(matches).length && now.every(matches), `${what} shows ${now.length} findings`);
    const count = Number((await page.$eval('output', (o) => o.value)).split(' ')[0].replace(',', ''));
    check(count === now.length, `${what}: says ${count}`);
    await checkWidth(page, what);
  };
  const reset = async () => {
    await page.$eval('[type=reset]', (button) => button.click());
    await page.evaluate(() => new Promise((done) => setTimeout(done, 20)));
    await expect('reset', () => true);
  };
  const word = all.at(-1).text.split(/\s+/).find((w) => w.length > 4);
  await page.type('[name=text]', word.toUpperCase());
  await expect(`search for ${word}`, (f) => f.text.includes(word));
  await page.type('[name=text]', ' zzzz-nothing');
  await expect('search for nothing', () => false);
  check(await page.$eval('.none', (p) => !p.hidden), 'nothing is shown, and nothing says so');
  await reset();
  for (const severity of ['error', 'warning', 'note']) {
    await page.click(`.chip input[value=${severity}]`);
    await expect(`without ${severity}`, (f) => f.severity !== severity);
    await page.click(`.chip input[value=${severity}]`);
  }
  for (const field of ['rule', 'folder']) {
    const value = all.at(-1)[field];
    await page.select(`[name=${field}]`, value);
    await expect(`${field} ${value}`, (f) => f[field] === value);
    await reset();
    const [button] = await page.$$(`[data-filter=${field}]`);
    const pressed = await button.evaluate((b) => { b.click(); return b.dataset.value; });
    await expect(`bar of ${field} ${pressed}`, (f) => f[field] === pressed);
    check(await button.evaluate((b) => b.getAttribute('aria-pressed')) === 'true', 'the bar is not pressed');
    await button.evaluate((b) => b.click());
    await expect('bar released', () => true);
  }
  await page.$eval('[data-filter=severity][data-value=error]', (b) => b.click());
  await expect('number of errors', (f) => f.severity === 'error');
  await reset();
}

async function checkKeyboard(page) {
  const state = () => page.$eval('.finding', (finding) => finding.open);
  const before = await state();
  await page.focus('.finding summary');
  await page.keyboard.press('Enter');
  check(await state() !== before, 'Enter does not fold or unfold');
  await page.keyboard.press('Enter');
}

async function checkPage(page, file) {
  await open(page, file);
  await checkMarkup(page);
  await checkWidth(page, 'opened');
  if (!await page.$('.finding')) return;
  await checkFilters(page);
  await checkKeyboard(page);
  await page.$$eval('.finding', (all) => all.forEach((finding) => { finding.open = true; }));
  await checkWidth(page, 'unfolded');
  await checkDots(page);
}

async function checkWithoutScript(page, file) {
  await page.setJavaScriptEnabled(false);
  await open(page, file);
  const state = await page.evaluate(() => ({
    filters: document.querySelector('.filters')?.offsetParent,
    hidden: [...document.querySelectorAll('.finding')].filter((f) => f.offsetParent === null).length,
  }));
  check(!state.filters && state.hidden === 0, 'without script something is missing, or does nothing');
}

const chromium = await browser(folder);
for (const file of files) {
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const scheme of ['light', 'dark']) {
      where = `${basename(file)}, ${width} pixels, ${scheme}`;
      const page = await chromium.newPage();
      await page.setViewport({width, height});
      await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
      await checkPage(page, file).catch((error) => check(false, error.stack));
      await page.close();
    }
  }
  where = `${basename(file)}, no script`;
  const page = await chromium.newPage();
  await checkWithoutScript(page, file);
  await page.close();
}
await chromium.close();
for (const line of found) console.error(line);
if (found.length > 0) fail(`${found.length} failures`);
console.log(`page test: ${files.length} pages`);
