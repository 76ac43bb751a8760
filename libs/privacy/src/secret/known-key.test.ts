import { describe, expect, it } from '@jest/globals';
import { detectStructured } from '../detect-structured.ts';

const secrets = (text: string): string[] =>
  detectStructured(text)
    .filter(({ category }) => category === 'SECRET' || category === 'URL_CREDENTIALS')
    .map(({ start, end }) => text.slice(start, end));

// Assembled at runtime, so that secret scanners do not report it.
const LETTERS = 'QxZkvLwTnRbYmHcPdJsGfUaEoWiNtKyBpXqM';
const MIXED = 'Q8xZ3kvL9wT2nRbY5mHc7PdJ4sGf6UaE1oWi0NtKyBpXqM';
const HEX = '9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015';
const join = (...parts: string[]): string => parts.join('');

describe('keys', () => {
  it.each([
    ['Hugging Face, letters alone', join('hf', '_', LETTERS.slice(0, 34))],
    ['SendGrid', join('SG', '.', MIXED.slice(0, 22), '.', MIXED.slice(0, 43))],
    ['Vault', join('hvs', '.', MIXED)],
    ['Doppler', join('dp', '.pt.', MIXED.slice(0, 43))],
    ['Airtable', join('pat', MIXED.slice(0, 14), '.', HEX)],
    ['Mailchimp', join(HEX.slice(0, 32), '-us12')],
    ['Twilio', join('SK', HEX.slice(0, 32))],
    ['Databricks', join('dapi', HEX.slice(0, 32))],
    ['Telegram', join('1234567890', ':AA', MIXED.slice(0, 33))],
    ['Resend', join('re', '_', MIXED.slice(0, 8), '_', MIXED.slice(0, 24))],
    ['Google', join('GOCSPX', '-', MIXED.slice(0, 28))],
    ['Tavily', join('tvly', '-', MIXED.slice(0, 32))],
    ['Microsoft Entra', join('a1B', '8Q', '~', MIXED.slice(0, 34))],
  ])('of %s are found', (_name, key) => {
    expect(secrets(`use ${key} here`)).toEqual([key]);
    expect(secrets(`{"k":"${key}"}`)).toEqual([key]);
  });

  const base64 = (letter: string): string => `${letter}x+/ab7${LETTERS}`.slice(0, 43) + '=';
  it.each([
    ['a webhook, with digits behind a plus sign', join('wh', 'sec_', base64('Q'))],
    ['a tool', join('tl', 'sec_', base64('R'))],
    [
      'a tool, letters and marks alone',
      join('tl', 'sec_', `${LETTERS}/+${LETTERS}`.slice(0, 43), '='),
    ],
    ['a webhook of Stripe', join('wh', 'sec_', MIXED.slice(0, 32))],
  ])('for signatures of %s are found', (_name, key) => {
    for (const text of [`use ${key} here`, `{"k":"${key}"}`, `key: ${key}.`, `secret=${key}`])
      expect(secrets(text)).toEqual([key]);
  });

  it('of a webhook are found in the path of its URL', () => {
    const path = join('T012AB3CD/B045EF6GH/', MIXED.slice(0, 24));
    expect(secrets(`post to https://hooks.slack.com/services/${path}.`)).toEqual([path]);
  });

  it.each([
    ['an option', `--token ${MIXED}`, MIXED],
    ['an option for a password', '--password S3cretPw1', 'S3cretPw1'],
    ['a sentence', `My API key is ${MIXED}.`, MIXED],
    ['a tag', '<password>S3cretPw1</password>', 'S3cretPw1'],
    ['a table', '| Password | S3cretPw1 |', 'S3cretPw1'],
    ['bold text', '**Password:** S3cretPw1', 'S3cretPw1'],
    ['an index', "config['password'] = 'S3cretPw1'", 'S3cretPw1'],
    ['a scheme', `authorization: token ${MIXED}`, MIXED],
    ['a signed address', `https://x.y/z?sv=1&sig=${MIXED}&se=2`, MIXED],
    ['a setting', 'PASSWORD=correcthorse', 'correcthorse'],
  ])('are found after their names in %s', (_name, text, key) => {
    expect(secrets(text)).toEqual([key]);
  });

  it.each([
    ['a name in a program', 're_compile_the_pattern_12345678901234567890'],
    ['a name with underscores', 'key_value_store_for_user_sessions_and_their_many_tokens_v12'],
    ['prose', 'the token is expired, password reset2024'],
    ['a default', 'POSTGRES_PASSWORD=postgres'],
  ])('are not found in %s', (_name, text) => {
    expect(secrets(text)).toEqual([]);
  });
});
