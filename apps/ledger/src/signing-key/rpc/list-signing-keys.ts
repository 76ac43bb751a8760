import type { CertificateService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { ListKeys } from '../stored-key.ts';
import { toSigningKey } from './to-signing-key.ts';

export const createListSigningKeys =
  (listKeys: ListKeys): Handlers<typeof CertificateService>['listSigningKeys'] =>
  async () => ({ keys: (await listKeys()).map(toSigningKey) });
