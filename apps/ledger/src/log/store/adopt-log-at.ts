import type { FetchFile } from '@witan/proof/tlog/follow-log';
import { createLog, openDatabase } from '@witan/service-kit';
import { CertificateEntity, createCertificateStore } from '../../chain/store/certificate-store.ts';
import { adoptLog } from '../adopt-log.ts';
import type { Adopted } from '../adopt-log.ts';
import { createAdoptRun } from './adopt-store.ts';
import { createBundleReader, createLogTiles } from './proof-store.ts';

type Migrations = Parameters<typeof openDatabase>[0]['migrations'];

/** Does {@link adoptLog} with the ledger's database at `url`, after its pending migrations. */
export const adoptLogAt = async (
  { url, migrations }: { url: string; migrations: Migrations },
  fetchFile: FetchFile,
): Promise<Adopted> => {
  await using database = await openDatabase({
    ...{ url, schema: 'ledger', entities: [CertificateEntity], migrations },
    log: createLog({ service: 'ledger', level: 'warn' }),
  });
  const { treeTiles } = createBundleReader(database, createCertificateStore(database));
  const logTiles = createLogTiles(database);
  return await adoptLog({ run: createAdoptRun(database), logTiles, treeTiles }, fetchFile);
};
