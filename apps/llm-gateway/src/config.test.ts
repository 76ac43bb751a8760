import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.ts';

const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1/witan',
  WITAN_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  WITAN_SERVICE_KEY_FILE: 'key.pem',
  WITAN_SERVICE_PUBLIC_KEYS: 'keys.json',
  LEDGER_ADDRESS: 'dns:///ledger:50051',
};
const LOCAL = { LOCAL_BASE_URL: 'http://127.0.0.1:11434/v1', LOCAL_MODEL: 'llama' };

describe("the operator's models", () => {
  it.each<[string, Record<string, string>, string]>([
    ['of openai', { OPENAI_API_KEY: 'sk' }, 'gpt-5 gpt-5-mini gpt-5-mini'],
    [
      'of anthropic',
      { ANTHROPIC_API_KEY: 'sk' },
      'claude-sonnet-5-5 claude-haiku-5-5 claude-haiku-5-5',
    ],
    ['of the local runtime', LOCAL, 'llama llama llama'],
    ['with a named full model', { ...LOCAL, WITAN_MODEL_FULL: 'big' }, 'big big big'],
    [
      'with a named cheap model',
      { OPENAI_API_KEY: 'sk', WITAN_MODEL_CHEAP: 'less' },
      'gpt-5 less less',
    ],
    [
      'with a named small model',
      { OPENAI_API_KEY: 'sk', WITAN_MODEL_SMALL: 'least' },
      'gpt-5 gpt-5-mini least',
    ],
  ])('are full, cheap and small: %s', (_name, env, expected) => {
    const { fullModel, cheapModel, smallModel } = loadConfig({ ...ENV, ...env });
    expect([fullModel, cheapModel, smallModel].join(' ')).toBe(expected);
  });
});

const require = createRequire(import.meta.url);

const modelsOf = (file: string, type: string): readonly string[] => {
  const text = readFileSync(require.resolve(file).replace(/\.js$/, '.d.ts'), 'utf8');
  const union = new RegExp(`export type ${type} = ([^;]+);`).exec(text)?.[1] ?? '';
  return [...union.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
};

describe('the default models', () => {
  it.each([
    ['OPENAI_API_KEY', 'openai/resources/shared.js', 'ChatModel'],
    ['ANTHROPIC_API_KEY', '@anthropic-ai/sdk/resources/messages/messages.js', 'Model'],
  ])('are in the list of the official SDK if only %s is set', (key, file, type) => {
    const { fullModel, cheapModel, smallModel } = loadConfig({ ...ENV, [key]: 'sk' });
    expect(modelsOf(file, type)).toEqual(
      expect.arrayContaining([fullModel, cheapModel, smallModel]),
    );
  });
});

describe('the masking worker', () => {
  it.each([
    ['production', true],
    ['development', false],
  ])('starts with the process in %s: %s', (environment, expected) => {
    const env = { ...ENV, OPENAI_API_KEY: 'sk', WITAN_ENV: environment };
    expect(loadConfig(env).isWarm).toBe(expected);
  });
});

describe('the dialects of openai', () => {
  const dialectsWith = (env: Record<string, string>): readonly string[] | undefined =>
    loadConfig({ ...ENV, OPENAI_API_KEY: 'sk', ...env }).openai?.dialects;
  const OWN_URL = { OPENAI_BASE_URL: 'https://api.example/v1' };

  it.each([
    ['of OpenAI itself', {}, ['chat-completions', 'responses']],
    ['of another API', OWN_URL, ['chat-completions']],
    [
      'as listed',
      { ...OWN_URL, OPENAI_DIALECTS: 'responses, chat-completions' },
      ['responses', 'chat-completions'],
    ],
    ['the only one', { OPENAI_DIALECTS: 'responses' }, ['responses']],
  ])('are those %s', (_name, env, expected) => {
    expect(dialectsWith(env)).toEqual(expected);
  });

  it.each(['messages', 'responses,grpc', 'responses,responses'])('cannot be %s', (listed) => {
    expect(() => dialectsWith({ OPENAI_DIALECTS: listed })).toThrow('OPENAI_DIALECTS');
  });
});
