import type { BrokerState } from './open-nats.ts';

/** Lines for the summary of `npm start`: where facts go, or why they wait and what to do. */
export const describeBroker = (broker: BrokerState): string[] => {
  const wait = 'facts wait in the database, and no webhook is sent';
  if ('missing' in broker) return [`no broker: ${wait}.`, broker.missing];
  const hosts = broker.url.split(',').map(withoutAccount).join(', ');
  return broker.isReady ? [hosts] : [`${hosts} does not answer yet.`, `Until it does, ${wait}.`];
};

/** A summary is copied into chats: what opens the broker is in system.json only. */
const withoutAccount = (url: string): string => url.trim().replace(/^(\w+:\/\/)?[^@]*@/, '$1');
