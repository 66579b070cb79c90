// browser(folder): a headless Chromium, driven by puppeteer-core. What is missing gets installed: the
// driver from npm into `folder`, the browser by apt when root asks. Else it fails, and says what to do.
import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

export function fail(message) {
  console.error(`page test: ${message}`);
  process.exit(1);
}

function installDriver(folder) {
  mkdirSync(folder, {recursive: true});
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(here, name), join(folder, name));
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
                        {cwd: folder, encoding: 'utf8'});
  if (npm.status !== 0) fail(`npm could not install the driver:\n${npm.error ?? npm.stdout + npm.stderr}`);
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean);
  return process.env.CHROMIUM ??
      names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

function chromium() {
  const found = findChromium();
  if (found) return found;
  if (process.getuid() === 0 && existsSync('/usr/bin/apt-get')) {
    const options = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '-qq', '--no-install-recommends'];
    spawnSync('apt-get', ['update', '-qq'], {stdio: 'inherit'});
    spawnSync('apt-get', [...options, 'chromium', 'fonts-dejavu-core'], {stdio: 'inherit'});
  }
  return findChromium() ?? fail('no Chromium; install it (Debian: apt-get install chromium) or name it in CHROMIUM');
}

export async function browser(folder) {
  if (!existsSync(join(folder, 'node_modules/puppeteer-core'))) installDriver(folder);
  const puppeteer = createRequire(join(resolve(folder), 'package.json'))('puppeteer-core');
  return puppeteer.launch({
    executablePath: chromium(),
    // Chromium's sandbox does not start for root.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
    protocolTimeout: 240_000,
  });
}
