import { mkdir, readFile } from 'node:fs/promises';
import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { selectPrograms } from './bundle/programs.ts';
import { NODE_IMAGE } from './images/build-image.ts';
import { findEngine } from './images/find-engine.ts';
import { readSource } from './images/read-source.ts';
import { releaseImage } from './images/release-image.ts';
import { runCommand } from './run-command.ts';
import { fetchNpmSbom } from './sbom/fetch-npm-sbom.ts';
import { fetchAudit, parseAudit } from './scan/scan-image.ts';
import type { Audit } from './scan/scan-packages.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const OPTIONS = {
  engine: { type: 'string' },
  scan: { type: 'boolean', default: false },
  audit: { type: 'string' },
  key: { type: 'string' },
  source: { type: 'string' },
  'node-image': { type: 'string', default: NODE_IMAGE },
  out: { type: 'string', default: join(ROOT, 'dist/images') },
} as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Runs `npm run images -- [NAME ...] [--engine buildah|docker] [--scan] [--key FILE]`: builds
 * images and writes the digests, SBOM and provenance of each. Exits with 1 if a scan finds
 * something, or if npm's advisories cannot be read; `--audit FILE` reads them from the output of
 * `npm audit --json`.
 */
const main = async (): Promise<void> => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: OPTIONS });
  const programs = selectPrograms(positionals);
  const engine = await findEngine(runCommand, values.engine);
  const key = values.key && createPrivateKey(await readFile(values.key, 'utf8'));
  const audit = values.scan ? await readAudit(values.audit) : undefined;
  const source = await readSource(ROOT, runCommand, values.source);
  print(`Version ${source.version}, revision ${source.revision}, built with ${engine}.`);
  await mkdir(values.out, { recursive: true });
  const shared = {
    root: ROOT,
    engine,
    run: runCommand,
    source,
    nodeImage: values['node-image'],
    all: await fetchNpmSbom(ROOT, runCommand),
    audit: audit?.audit,
    key: key || undefined,
    out: values.out,
    print,
  };
  let failures = audit?.failures ?? 0;
  for (const program of programs) failures += await releaseImage(shared, program);
  if (failures > 0) throw new Error(`The scan found ${failures} failures.`);
};

/** Without advisories the rest is scanned all the same, and the scan fails. */
const readAudit = async (file?: string): Promise<{ audit: Audit; failures: number }> => {
  try {
    const text = file === undefined ? undefined : await readFile(file, 'utf8');
    const audit = text === undefined ? await fetchAudit(ROOT, runCommand) : parseAudit(text);
    return { audit, failures: 0 };
  } catch (error) {
    print(`FAILED: no advisories of npm packages: ${Error.isError(error) ? error.message : ''}`);
    return { audit: { vulnerabilities: {} }, failures: 1 };
  }
};

await main().catch((error: Error & { stderr?: string }) => {
  process.stderr.write(`${error.message}\n${error.stderr ?? ''}`);
  process.exitCode = 1;
});
