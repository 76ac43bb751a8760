import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { SigningKeySchema } from '@witan/contracts';
import type { StoredKey } from '../stored-key.ts';

export const toSigningKey = (key: StoredKey): MessageInitShape<typeof SigningKeySchema> => ({
  keyId: key.keyId,
  publicKey: key.publicKey,
  notBefore: timestampFromDate(key.notBefore),
  ...(key.notAfter ? { notAfter: timestampFromDate(key.notAfter) } : {}),
});
