import type { KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Program } from '../bundle/programs.ts';
import { hashFile, hashFiles } from '../hash-files.ts';
import { signStatement } from '../provenance/dsse.ts';
import { toProvenance } from '../provenance/to-provenance.ts';
import type { Sbom } from '../sbom/to-program-sbom.ts';
import { writeProgramSbom } from '../sbom/write-program-sbom.ts';
import type { WrittenSbom } from '../sbom/write-program-sbom.ts';
import { compareBundles } from '../scan/compare-bundles.ts';
import { scanImage } from '../scan/scan-image.ts';
import type { Audit } from '../scan/scan-packages.ts';
import { buildImage, readDigest } from './build-image.ts';
import type { BuildOptions, BuiltImage } from './build-image.ts';
import { openRoot } from './open-root.ts';
import { toLabels } from './to-labels.ts';

export type ReleaseOptions = Omit<BuildOptions, 'name'> & {
  all: Sbom;
  /** npm's advisories; if undefined, the image is not scanned. */
  audit: Audit | undefined;
  /** Ed25519 key that signs the provenance; without one it is written unsigned. */
  key: KeyObject | undefined;
  out: string;
  print: (line: string) => void;
};

/**
 * Builds the image of a program and writes `<name>.json` (tag, id, digest), its SBOM and its
 * provenance. Returns the number of failures: those of the scan, and files of the bundle that are
 * not those that the SBOM describes.
 */
export const releaseImage = async (options: ReleaseOptions, program: Program): Promise<number> => {
  const { root, run, engine, out, print, source } = options;
  const startedOn = new Date();
  const image = await buildImage({ ...options, name: program.name });
  const finishedOn = new Date();
  print(`${image.tag}: ${image.digest ?? image.id}`);
  const sbom = await writeProgramSbom(
    { root, all: options.all, version: source.version },
    program,
    out,
  );
  await using content = await openRoot(run, engine, image.tag);
  const bundle = await hashFiles(join(content.folder, 'app'));
  const record = { ...image, labels: toLabels(source), bundle };
  await writeJson(join(out, `${program.name}.json`), record);
  await writeProvenance(options, { image, sbom, bundle, startedOn, finishedOn });
  const differences = compareBundles(sbom.files, bundle);
  for (const failure of differences) print(`  FAILED: ${failure}`);
  if (!options.audit) return differences.length;
  const { failures, notes } = await scanImage({
    root,
    run,
    engine,
    image,
    folder: content.folder,
    labels: toLabels(source),
    packages: sbom.packages,
    audit: options.audit,
    out,
  });
  for (const note of notes) print(`  note: ${note}`);
  for (const failure of failures) print(`  FAILED: ${failure}`);
  return differences.length + failures.length;
};

type Built = {
  image: BuiltImage;
  sbom: WrittenSbom;
  bundle: Readonly<Record<string, string>>;
  startedOn: Date;
  finishedOn: Date;
};

const writeProvenance = async (
  { root, run, engine, nodeImage, source, key, out }: ReleaseOptions,
  { image, sbom, bundle, startedOn, finishedOn }: Built,
): Promise<void> => {
  const statement = toProvenance({
    name: image.name,
    version: source.version,
    engine,
    nodeImage,
    nodeImageDigest: await readDigest(run, engine, nodeImage),
    revision: source.revision,
    source: source.source,
    lockFileDigest: await hashFile(join(root, 'package-lock.json')),
    imageDigest: image.digest ?? image.id,
    bundle,
    sbom: { name: basename(sbom.file), digest: await hashFile(sbom.file) },
    startedOn,
    finishedOn,
  });
  const [suffix, content] = key
    ? ['provenance.dsse.json', signStatement(statement, key)]
    : ['provenance.json', statement];
  await writeJson(join(out, `${image.name}.${suffix}`), content);
};

const writeJson = (file: string, value: object): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
