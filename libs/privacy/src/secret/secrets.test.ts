import { describe, expect, it } from '@jest/globals';
import { detectStructured } from '../detect-structured.ts';

const secrets = (text: string): string[] =>
  detectStructured(text)
    .filter(({ category }) => category === 'SECRET' || category === 'URL_CREDENTIALS')
    .map(({ start, end }) => text.slice(start, end));

// Assembles a key at run time, so that secret scanners do not report it.
const key = (prefix: string, rest: string): string => prefix + rest;
const KEYS = [
  key('ghp', '_16C7e42F292c6912E7710c838347Ae178B4a'),
  key('AKIA', 'IOSFODNN7EXAMPLE'),
  key('AIza', 'SyA-1234567890abcdefghijklmnopqrstu'),
  key('glpat', '-abcd1234EFGH5678ijkl'),
  key('xoxb', '-123456789012-abcdefABCDEF'),
  key('sk', '-AbIEqaMJzFZzVLOOntppdLzxctmiVodC'),
  key('sk-ant', '-api03-AbIEq1MJzFZzVLOOntppdLz'),
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
];

describe('secrets', () => {
  it.each(KEYS)('are found if they are vendor keys: %s', (secret) => {
    expect(secrets(`use ${secret} here`)).toEqual([secret]);
  });

  it.each([
    ['DB_PASS = "KfX3813SO9l"', 'KfX3813SO9l'],
    ["dbPass: '##n33gFLYL!OnZ#',", '##n33gFLYL!OnZ#'],
    ['"password":"p\\"x9"', 'p\\"x9'],
    ['{\\"password\\": \\"abc12345\\"}', 'abc12345'],
    ['password: hunter2!', 'hunter2!'],
    ['my password is Tr0ub4dor&3.', 'Tr0ub4dor&3'],
    ['Passwort lautet Sommer2024!', 'Sommer2024!'],
    ['api_key = f00dfeed1234abcd5678', 'f00dfeed1234abcd5678'],
    ['https://a.b/c?token=abcd1234efgh5678&x=1', 'abcd1234efgh5678'],
    ['Authorization: Bearer abcdef1234567890ABCDEF', 'abcdef1234567890ABCDEF'],
    ['postgres://admin:s3cr3t@db.example.com:5432/app', 'admin:s3cr3t'],
  ])('are found after their names: %s', (text, secret) => {
    expect(secrets(text)).toEqual([secret]);
  });

  it('are found if they are private keys, up to the last line', () => {
    const named = (keyword: string): string => `-----${keyword} RSA PRIVATE KEY-----`;
    const pem = `${named('BEGIN')}\nMIIEpAIBAAK\nabc=\n${named('END')}`;
    expect(secrets(`key:\n${pem}\nrest`)).toEqual([pem]);
    expect(secrets('-----BEGIN CERTIFICATE-----\nMIIEpAIBAAK\n-----END CERTIFICATE-----')).toEqual(
      [],
    );
  });

  it.each([
    ['password: string;'],
    ['const password = req.body.password;'],
    ['Password must be set.'],
    ['token: process.env.TOKEN'],
    ['secret = "${SECRET}"'],
    ['const mayPass = (error: unknown) => true'],
    ['key=0009000000000000000000000000000000000000'],
    ['https://user:password@proxy.example:1080'],
    ['sk-learn-something-long-and-nice'],
    ['"PWD": "/home/ann"'],
    ['max_tokens: 4096, tokens=123456789012'],
  ])('are not found in %j', (text) => {
    expect(secrets(text)).toEqual([]);
  });
});
