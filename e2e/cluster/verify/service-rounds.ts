import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApi, EXERCISES } from '@witan/release/rehearsal/exercises';
import { openReceiver } from '@witan/testing';
import { openClient } from '../../faults/client.ts';
import type { Round, RoundOutcome } from '../../faults/run-part.ts';
import { untilReceived } from '../../faults/until.ts';
import { NODES } from '../config.ts';
import type { Installation } from '../install/installation.ts';
import { issueCertificate, PKI } from '../node/certificates.ts';

/**
 * Rounds that call an installation through its Service: the exercises of every release, and a
 * webhook that is received.
 */
export const listServiceRounds = (installation: Installation): readonly Round[] => {
  const api = createApi(installation.baseUrl, installation.apiKey);
  return [
    ...EXERCISES.map(({ name, run }) => ({
      name: `service: ${name}`,
      run: async (): Promise<RoundOutcome> => {
        const startedAt = Date.now();
        await run(api);
        return { figures: { ms: Date.now() - startedAt }, violations: [] };
      },
    })),
    { name: 'service: a webhook is received and signed', run: () => receiveWebhook(installation) },
  ];
};

const RECEIVER = 'receiver';
const PATH = '/hook';
type Made = { webhook: { id: string; secret: string } };

/** Receives the test of a webhook over TLS in this process, at the first node's address. */
const receiveWebhook = async (installation: Installation): Promise<RoundOutcome> => {
  const host = NODES[0].address;
  await issueCertificate({ name: RECEIVER, subject: `/CN=${RECEIVER}`, names: `IP:${host}` });
  const certificate = {
    cert: await readFile(join(PKI, `${RECEIVER}.crt`), 'utf8'),
    key: await readFile(join(PKI, `${RECEIVER}.key`), 'utf8'),
  };
  await using receiver = await openReceiver(certificate, host);
  const client = openClient(installation);
  const url = receiver.urlOf(PATH);
  const body = { name: 'cluster', url, events: ['debate.synthesized'] };
  const { webhook } = await client.read<Made>('POST', '/webhooks', body);
  await client.read('POST', `/webhooks/${webhook.id}/test`);
  const requests = await untilReceived(receiver, PATH, 1);
  await client.read('DELETE', `/webhooks/${webhook.id}`);
  const [request] = requests;
  if (request === undefined) return { figures: {}, violations: ['no webhook was received'] };
  const digest = createHmac('sha256', webhook.secret).update(request.body).digest('hex');
  const isSigned = request.headers['x-service-signature'] === `sha256=${digest}`;
  const violations = [
    ...(isSigned ? [] : ['the signature does not match']),
    ...(requests.length === 1 ? [] : [`received ${requests.length} times`]),
  ];
  return { figures: { received: requests.length }, violations };
};
