import type { ProvenanceParts } from '../src/provenance/to-provenance.ts';

/** The parts of a provenance for tests; digests are repeated letters. */
export const PROVENANCE_PARTS: ProvenanceParts = {
  name: 'ledger',
  version: '1.2.3',
  engine: 'buildah',
  nodeImage: 'node:24-slim',
  nodeImageDigest: `sha256:${'b'.repeat(64)}`,
  revision: 'c'.repeat(40),
  source: 'https://example.org/witan.git',
  lockFileDigest: 'd'.repeat(64),
  imageDigest: `sha256:${'a'.repeat(64)}`,
  bundle: { 'main.js': 'e'.repeat(64) },
  sbom: { name: 'ledger.cdx.json', digest: 'f'.repeat(64) },
  startedOn: new Date(0),
  finishedOn: new Date(1000),
};
