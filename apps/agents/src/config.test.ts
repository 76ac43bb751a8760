import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.ts';

const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1/witan',
  LLM_GATEWAY_ADDRESS: '127.0.0.1:1',
  NATS_URL: 'nats://127.0.0.1:2',
  WITAN_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  WITAN_SERVICE_KEY_FILE: 'key.pem',
  WITAN_SERVICE_PUBLIC_KEYS: 'keys.json',
};
const load = (model?: string) =>
  loadConfig({ ...ENV, WITAN_KNOWLEDGE_EMBEDDING_MODEL: model }).embeddingModel;

describe('the embedding model of knowledge', () => {
  it.each([undefined, 'text-embedding-3-small', 'service-auto', 'service-sensitive'])(
    'may be %s',
    (model) => expect(load(model)).toBe(model),
  );

  it.each(['agent:ann', 'gpt-test+knowledge', 'service-sensitve', 'debate:x'])(
    'is refused as %s',
    (model) => expect(() => load(model)).toThrow('WITAN_KNOWLEDGE_EMBEDDING_MODEL'),
  );
});
