import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { CertificateReader } from '../../chain/sign-certificates.ts';
import type { LogStores } from '../transparency-log.ts';
import { createEpochReader } from './epoch-reader.ts';
import { createEpochStore } from './epoch-store.ts';
import { createBundleReader, createFindTrees, createLogTiles } from './proof-store.ts';
import { createFindPublished, createPublicationStore } from './publication-store.ts';
import { createHaltStore, createWitnessStore } from './witness-store.ts';

type Databases = {
  /** For writing and publishing. */
  database: Database;
  /** For workspaces. */
  reads: Database;
  /** For callers without credentials. */
  publicReads: Database;
};

const ANCHOR_LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('transparency_log_anchor', 0))`;

export const createLogStores = (
  { database, reads, publicReads }: Databases,
  certificates: Pick<CertificateReader, 'find'>,
): LogStores => ({
  epochs: createEpochStore(database),
  publications: createPublicationStore(database),
  witnesses: createWitnessStore(database),
  halts: createHaltStore(database),
  bundles: createBundleReader(reads, certificates),
  findTrees: createFindTrees(reads),
  history: createEpochReader(reads),
  tiles: createLogTiles(reads),
  publicTiles: createLogTiles(publicReads),
  ownTiles: createLogTiles(database),
  findPublished: createFindPublished(database),
  exclusively: (work) =>
    database.scopedClient(everyWorkspace, async (client) => {
      await client.query(ANCHOR_LOCK);
      return await work();
    }),
});
