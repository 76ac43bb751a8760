import type { CreatedKey } from '../../auth/keys.ts';
import { encodeAs } from '../../http/encode.ts';
import { NO_STORE } from '../../http/route.ts';
import type { Reply } from '../../http/route.ts';
import { CREATED_API_KEY } from './api-key-schema.ts';

export const toSecretReply = (status: 200 | 201, created: CreatedKey): Reply => ({
  status,
  json: encodeAs(CREATED_API_KEY, { apiKey: created, key: created.key }),
  headers: NO_STORE,
});
