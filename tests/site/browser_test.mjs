// browser_test.mjs DRIVER SITE: the built site in Chromium. No page scrolls sideways on a phone, nothing comes
// from another host, the search finds rules, and text stands out from its ground in both palettes.
import {createReadStream, existsSync, readdirSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join} from 'node:path';

import {browser, fail} from '../golden/page/browser.mjs';

const [driver, site] = process.argv.slice(2);
const TYPES = {'.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml',
               '.png': 'image/png', '.json': 'application/json'};
const LEAST_CONTRAST = 4.5;  // WCAG AA
const faults = [];

function serve() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://site').pathname);
    const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, {'content-type': TYPES[extname(file)] ?? 'application/octet-stream'});
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

const addresses = readdirSync(site, {recursive: true})
                      .filter((name) => name.endsWith('index.html'))
                      .map((name) => `/${name.slice(0, -'index.html'.length)}`)
                      .sort();

// Of the text in the parts that this project styles itself: those that are too faint.
function faintTexts(least) {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], below) =>
      [r, g, b].map((value, i) => value * a / 255 + below[i] * (1 - a / 255));
  const ground = (element) => {
    const own = rgba(getComputedStyle(element).backgroundColor);
    if (own[3] === 255 || !element.parentElement) return own.slice(0, 3);
    return over(own, ground(element.parentElement));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parts = '.tl-card *, .tl-option *, .tl-rules *, .tl-drawing *, .tl-chart *, .md-typeset p a';
  const faint = [];
  for (const element of document.querySelectorAll(parts)) {
    const own = [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data).join('').trim();
    const box = element.getBoundingClientRect();
    const hidden = ['title', 'desc'].includes(element.localName) || element.classList.contains('tl-number');
    if (!own || hidden || box.width === 0) continue;
    const style = getComputedStyle(element);
    const below = ground(element);
    const colour = over(rgba(element.closest('svg') ? style.fill : style.color), below);
    const [bright, dark] = [light(colour), light(below)].sort((a, b) => b - a);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < least) faint.push(`${own.slice(0, 30)} (${element.getAttribute('class')}): ${contrast.toFixed(2)}`);
  }
  return faint;
}

async function onPhone(page, base) {
  await page.setViewport({width: 390, height: 844, isMobile: true, hasTouch: true});
  for (const address of addresses) {
    await page.goto(base + address, {waitUntil: 'load'});
    const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    if (content > screen || screen !== 390) faults.push(`${address}: ${content} pixels wide on a screen of ${screen}`);
  }
}

async function contrast(page, base) {
  await page.setViewport({width: 1280, height: 900});
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value}]);
    for (const address of ['/', '/rules/', '/rules/accumulated-tensor/', '/configuration/']) {
      const where = `${address} ${value}`;
      await page.goto(base + address, {waitUntil: 'load'});
      const scheme = await page.evaluate(() => document.body.dataset.mdColorScheme);
      if (scheme !== (value === 'dark' ? 'slate' : 'default')) faults.push(`${where}: the palette is ${scheme}`);
      const faint = await page.evaluate(faintTexts, LEAST_CONTRAST);
      faults.push(...faint.map((text) => `${where}: faint: ${text}`));
    }
  }
}

async function search(page, base) {
  await page.goto(`${base}/`, {waitUntil: 'load'});
  await page.evaluate(() => document.querySelector('#__search').click());
  await page.type('.md-search__input', 'TLK203');
  const found = () => document.querySelector('.md-search-result__link')?.href.includes('/rules/eval-with-grad/');
  await page.waitForFunction(found, {timeout: 60_000}).catch(() => faults.push('the search does not find TLK203'));
}

if (addresses.length < 20) fail(`only ${addresses.length} pages in ${site}`);
const server = await serve();
const base = `http://127.0.0.1:${server.address().port}`;
const chromium = await browser(driver);
const page = await chromium.newPage();
page.on('request', (request) => {
  const url = request.url();
  if (!url.startsWith(base) && !url.startsWith('data:')) faults.push(`${page.url()} asks for ${url}`);
});
page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
page.on('response', (response) => {
  if (response.status() >= 400) faults.push(`${page.url()}: ${response.status()} for ${response.url()}`);
});
await onPhone(page, base);
await contrast(page, base);
await search(page, base);
await chromium.close();
server.close();
for (const fault of faults) console.log(`FAIL: ${fault}`);
console.log(`${addresses.length} pages in a browser`);
process.exit(faults.length ? 1 : 0);
