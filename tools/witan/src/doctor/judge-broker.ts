import type { BrokerInspection } from '@witan/service-kit';
import { describeError, fail, ok, warn } from './check.ts';
import type { Check } from './check.ts';

export type BrokerFacts = { place: string } & (
  | { error: unknown }
  | { inspection: BrokerInspection; wantedBytes: number }
);

/** Judges the broker by one connection; `wantedBytes` is what the declared streams may store. */
export const judgeBroker = (facts: BrokerFacts): Check[] => {
  if ('error' in facts) {
    const message = `No connection to ${facts.place}: ${describeError(facts.error)}.`;
    const isRefused = /authoriz|authent/i.test(message);
    const advice = isRefused
      ? 'Correct user and password, or the token, in NATS_URL.'
      : 'Start nats-server, or correct NATS_URL; until then events wait in the database.';
    return [fail('broker', { message, advice })];
  }
  const { inspection, place, wantedBytes } = facts;
  const connected = ok('broker', `nats-server ${inspection.serverVersion} at ${place}`);
  const { jetStream } = inspection;
  if ('error' in jetStream) {
    const message = `JetStream cannot be used: ${describeError(jetStream.error)}.`;
    const advice = 'Enable JetStream for the server (`jetstream {}`) and for the account.';
    return [connected, fail('broker jetstream', { message, advice })];
  }
  return [connected, judgeTopology(jetStream.differences), judgeAccount(jetStream, wantedBytes)];
};

type JetStream = Exclude<BrokerInspection['jetStream'], { error: unknown }>;

const judgeTopology = (differences: JetStream['differences']): Check => {
  const name = 'broker topology';
  if (differences.length === 0) return ok(name, 'equal to deploy/nats/topology.json');
  const list = differences.map((one) => `${one.kind} ${one.name} is ${one.difference}`);
  return fail(name, { message: `${list.join(', ')}.`, advice: 'Run `witan topology apply`.' });
};

const judgeAccount = ({ account }: JetStream, wantedBytes: number): Check => {
  const name = 'broker storage';
  const { storageBytes, storageLimitBytes } = account;
  if (storageLimitBytes < 0) return ok(name, 'the account has no limit');
  const text = `${toMebibytes(storageBytes)} of ${toMebibytes(storageLimitBytes)} MiB used`;
  if (storageLimitBytes >= wantedBytes) return ok(name, text);
  const message = `${text}; the streams may store ${toMebibytes(wantedBytes)} MiB.`;
  return warn(name, { message, advice: 'Raise max_file of JetStream or of the account.' });
};

const toMebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
