import type { Database } from '@witan/service-kit';
import type { CertificateReader } from '../../chain/sign-certificates.ts';
import type { LogStores } from '../transparency-log.ts';
import { createEpochReader } from './epoch-reader.ts';
import { createEpochStore } from './epoch-store.ts';
import { createBundleReader, createLogTiles } from './proof-store.ts';
import { createFindPublished, createPublicationStore } from './publication-store.ts';
import { createHaltStore, createWitnessStore } from './witness-store.ts';

/** Returns the stores of the log; `reads` serves callers, `database` writes. */
export const createLogStores = (
  database: Database,
  reads: Database,
  certificates: Pick<CertificateReader, 'find'>,
): LogStores => ({
  epochs: createEpochStore(database),
  publications: createPublicationStore(database),
  witnesses: createWitnessStore(database),
  halts: createHaltStore(database),
  bundles: createBundleReader(reads, certificates),
  history: createEpochReader(reads),
  tiles: createLogTiles(reads),
  ownTiles: createLogTiles(database),
  findPublished: createFindPublished(database),
});
