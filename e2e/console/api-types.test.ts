import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { renderApiTypes } from '@witan/console-build/api-types';

const FILE = fileURLToPath(new URL('../../apps/console/src/gen/api.ts', import.meta.url));

/** Not empty in `npm run console:types`, which replaces the generated file. */
const { WITAN_RECORD = '' } = process.env;

describe('the types that the console uses for the API', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await openTestSystem();
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it('are those of the OpenAPI document that the system serves', async () => {
    const response = await fetch(`${system.baseUrl}/v1/openapi.json`);
    const types = await renderApiTypes((await response.json()) as object);
    if (WITAN_RECORD !== '') await writeFile(FILE, types);
    expect(await readFile(FILE, 'utf8')).toBe(types);
  });
});
