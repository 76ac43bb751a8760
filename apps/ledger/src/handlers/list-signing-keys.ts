import type { CertificateService } from '@witan/contracts/services';
import type { Database, Handlers } from '@witan/service-kit';
import { listSigningKeys } from '../storage/signing-key-store.ts';
import { toSigningKey } from './to-signing-key.ts';

/** Answers every public key that ever signed, newest first. */
export const createListSigningKeys =
  (database: Database): Handlers<typeof CertificateService>['listSigningKeys'] =>
  async () => ({ keys: (await listSigningKeys(database)).map(toSigningKey) });
