import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readImageConfig } from '../images/open-root.ts';
import type { Engine } from '../images/find-engine.ts';
import type { RunCommand } from '../run-command.ts';
import { parseDebianPackages, scanPackages } from './scan-packages.ts';
import type { Audit, LockFile } from './scan-packages.ts';
import { scanConfig, scanRoot } from './scan-root.ts';

export type ScanOptions = {
  root: string;
  run: RunCommand;
  engine: Engine;
  image: { name: string; tag: string };
  /** Root file system of the image. */
  folder: string;
  labels: Readonly<Record<string, string>>;
  packages: readonly string[];
  audit: Audit;
  /** Folder of the report files. */
  out: string;
};

export type ScanResult = { failures: string[]; notes: string[] };

/**
 * Checks the configuration, the files and the packages of an image, and lists its Debian packages
 * in `<name>.debian.txt`. Nothing in the image is run.
 */
export const scanImage = async (options: ScanOptions): Promise<ScanResult> => {
  const { root, run, engine, image, folder, labels, packages, audit, out } = options;
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const found = scanPackages(packages, lock, audit);
  const status = await readFile(join(folder, 'var/lib/dpkg/status'), 'utf8');
  const debian = parseDebianPackages(status);
  await writeFile(join(out, `${image.name}.debian.txt`), `${debian.join('\n')}\n`);
  const scanned = await runScanner(run, folder);
  return {
    failures: [
      ...scanConfig(await readImageConfig(run, engine, image.tag), labels),
      ...(await scanRoot(folder)),
      ...found.failures,
      ...scanned.failures,
    ],
    notes: [
      ...found.notes,
      `${packages.length} npm packages, ${debian.length} Debian packages.`,
      ...scanned.notes,
    ],
  };
};

/** Commands that fail if a Debian or npm package has a known vulnerability that can be fixed. */
const SCANNERS: Readonly<Record<string, (folder: string) => string[]>> = {
  trivy: (folder) => [
    ...['rootfs', '--quiet', '--severity', 'HIGH,CRITICAL', '--ignore-unfixed'],
    ...['--exit-code', '1', folder],
  ],
  grype: (folder) => [`dir:${folder}`, '--quiet', '--only-fixed', '--fail-on', 'high'],
};

/** Runs the first scanner on PATH. Without one, says so: then Debian packages are only listed. */
export const runScanner = async (run: RunCommand, folder: string): Promise<ScanResult> => {
  for (const [scanner, toArguments] of Object.entries(SCANNERS)) {
    const isInstalled = await run(scanner, ['--version']).then(
      () => true,
      () => false,
    );
    if (!isInstalled) continue;
    return await run(scanner, toArguments(folder)).then(
      () => ({ failures: [], notes: [`${scanner} found nothing that can be fixed.`] }),
      (error: { stdout?: string; message: string }) => ({
        failures: [`${scanner} failed:\n${error.stdout || error.message}`],
        notes: [],
      }),
    );
  }
  return {
    failures: [],
    notes: ['Debian packages are listed, not checked: neither trivy nor grype is on PATH.'],
  };
};

/** Returns npm's advisories. npm exits with 1 if there are any; without a registry this throws. */
export const fetchAudit = async (root: string, run: RunCommand): Promise<Audit> => {
  const argv = ['audit', '--json'];
  const text = await run('npm', argv, { cwd: root }).catch((error: { stdout?: string }) => {
    if (error.stdout) return error.stdout;
    throw error;
  });
  return parseAudit(text);
};

/** Returns the advisories in the output of `npm audit --json`. Throws if it is an error of npm. */
export const parseAudit = (text: string): Audit => {
  const audit = JSON.parse(text) as Audit & { error?: unknown; message?: string };
  if (audit.vulnerabilities) return audit;
  throw new Error(`npm audit has no result: ${audit.message ?? JSON.stringify(audit.error)}`);
};
