import { expect, it } from '@jest/globals';
import { openReceiver } from '@witan/testing';
import { runCall } from './run-call.ts';

it.each([
  ['a refusal with its code', '{"error":{"code":"overloaded"}}', 'refused', '503 overloaded'],
  ['a refusal without a code', '{"error":{}}', 'refused', '503 without code'],
  ['a refusal that is not JSON', 'Service Unavailable', 'refused', '503 without JSON'],
])('records %s', async (_name, body, outcome, status) => {
  await using receiver = await openReceiver();
  receiver.respond('/v1/chat/completions', (_index, response) => {
    response.writeHead(503).end(body);
    return 'wait';
  });
  const system = { baseUrl: receiver.urlOf(''), apiKey: 'key' };
  const record = await runCall(system, {
    content: 'call',
    dialect: 'chat-completions',
    isStreamed: false,
  });
  expect(record).toMatchObject({ outcome, status });
});
