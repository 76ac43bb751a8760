import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client } from 'pg';
import {
  encodeBigints,
  encodeBooleans,
  encodeByteStrings,
  encodeIntegers,
  encodeTexts,
  encodeTimes,
} from '../src/write/store/encode-array.ts';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase(['ledger']);
  client = new Client({ connectionString: database.urls.ledger });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

const TEXTS = ['', 'NULL', 'a,"b"\\{c}', 'ä 漢 🙂'];
const BYTES = [Buffer.from([0, 255, 92]), null, Buffer.alloc(0)];
const TIMES = ['1969-12-31T23:59:59.999Z', '2000-01-01T00:00:00.000Z', '2026-11-24T01:02:03.456Z'];
const toTimes = (times: readonly string[]): Date[] => times.map((time) => new Date(time));

it.each([
  ['text', encodeTexts(TEXTS), TEXTS],
  ['text', encodeTexts([]), []],
  ['bytea', encodeByteStrings(BYTES), BYTES],
  ['bigint', encodeBigints([-1, 2n ** 62n]), ['-1', String(2n ** 62n)]],
  ['integer', encodeIntegers([-1, 2 ** 31 - 1]), [-1, 2 ** 31 - 1]],
  ['boolean', encodeBooleans([true, false]), [true, false]],
  ['timestamptz', encodeTimes(toTimes(TIMES).map(Number)), toTimes(TIMES)],
])('PostgreSQL reads an encoded array of %s', async (type, encoded, values) => {
  const { rows } = await client.query(`SELECT $1::${type}[] AS values`, [encoded]);
  expect(rows).toEqual([{ values }]);
});
