import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../faults/client.ts';
import { runCall } from '../../faults/completions/run-call.ts';
import { driveWorkers } from '../../faults/drive-workers.ts';
import type { Load } from '../../faults/drive-workers.ts';
import { openChatFlow } from '../../faults/flows/chat-flow.ts';
import type { Installation } from '../install/installation.ts';
import type { TrafficCall } from './judge-traffic.ts';

/** Concurrent completions. Each worker pauses after each call: fewer than 2 start in a second. */
const COMPLETION_WORKERS = 2;
const PAUSE_MS = 1_000;
const STREAMED_EVERY = 4;

/** Makes completions, of which one in four is streamed, and chats with an agent until stopped. */
export const driveTraffic = async (installation: Installation): Promise<Load<TrafficCall>> => {
  const client = openClient(installation);
  const body = { name: `ada_${Date.now().toString(36)}`, systemPrompt: 'You are an engineer.' };
  type Made = { agent: { id: string } };
  const { agent } = await client.read<Made>('POST', '/agents', body);
  const chat = await openChatFlow(client, agent.id, false);
  const complete = async (number: number): Promise<TrafficCall> => {
    const isStreamed = number % STREAMED_EVERY === 0;
    const call = await runCall(installation, {
      content: `Cluster call ${number}.`,
      dialect: number % 2 === 0 ? 'chat-completions' : 'responses',
      isStreamed,
    });
    const { outcome, status, startedAt, endedAt } = call;
    const error = outcome === 'complete' ? '' : `${outcome} ${status}`;
    const kind = isStreamed ? 'streamed' : 'completion';
    return { kind, status: Number.parseInt(status, 10) || 0, error, startedAt, endedAt };
  };
  const sendChat = async (): Promise<TrafficCall> => {
    const startedAt = Date.now();
    const error = await chat.call();
    const status = error === '' ? 200 : Number.parseInt(error, 10);
    return { kind: 'chat', status, error, startedAt, endedAt: Date.now() };
  };
  const workers = [...Array.from({ length: COMPLETION_WORKERS }, () => complete), sendChat];
  const paced = workers.map((makeCall) => async (number: number) => {
    const call = await makeCall(number);
    await pause(PAUSE_MS);
    return call;
  });
  return driveWorkers(paced, ({ error }) => error !== '');
};
