import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePublicKeys, verifyCertificate, verifyRequest, verifyResponse } from '@witan/proof';
import { createApi, EXERCISES } from '@witan/release/rehearsal/exercises';
import { findEngineProblem, openInstallation } from './open-installation.ts';
import type { ContainerInstallation } from './open-installation.ts';

const problem = await findEngineProblem();
const note = problem === undefined ? '' : ` (skipped: ${problem})`;
const itInContainers = problem === undefined ? it : it.skip;

const START_TIMEOUT_MS = 600_000;

describe(`the images of this version, with PostgreSQL and NATS${note}`, () => {
  let installation: ContainerInstallation | undefined;

  beforeAll(async () => {
    if (problem === undefined) installation = await openInstallation();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await installation?.[Symbol.asyncDispose]();
  }, START_TIMEOUT_MS);

  const send = async (path: string, body?: string): Promise<Response> => {
    const headers = { 'x-api-key': installation!.apiKey, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    return await fetch(`${installation!.baseUrl}${path}`, init);
  };

  itInContainers('answer a completion, whose certificate verifies here', async () => {
    const messages = [{ role: 'user', content: 'Say hello.' }];
    const request = JSON.stringify({ model: 'service-auto', messages });
    const answer = await send('/v1/chat/completions', request);
    const response = await answer.bytes();
    expect(answer.status).toBe(200);
    const id = answer.headers.get('x-service-proof')!;
    const certificate = await (await send(`/v1/proofs/${id}`)).text();
    const keys = parsePublicKeys(await (await send('/v1/gateway/public-key')).text());
    const { payload } = verifyCertificate(certificate, keys);
    verifyRequest(payload, Buffer.from(request));
    verifyResponse(payload, response);
    const changed = Buffer.from(Buffer.from(response).toString().replace('"content":"', '$&x'));
    expect(() => verifyResponse(payload, changed)).toThrow(
      expect.objectContaining({ reason: 'response' }),
    );
  });

  itInContainers.each(EXERCISES.slice(1, 3))('pass: $name', async ({ run }) => {
    await run(createApi(installation!.baseUrl, installation!.apiKey));
  });
});
