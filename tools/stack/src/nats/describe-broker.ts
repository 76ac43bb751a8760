import type { BrokerState } from './open-nats.ts';

export const describeBroker = (broker: BrokerState): string[] => {
  const wait = 'events wait in the database, and no webhook is sent';
  if ('missing' in broker) return [`no broker: ${wait}.`, broker.missing];
  const hosts = broker.url.split(',').map(withoutCredentials).join(', ');
  return broker.isReady ? [hosts] : [`${hosts} does not answer yet.`, `Until it does, ${wait}.`];
};

/** Removes credentials from a URL, because users paste the summary into chats. */
const withoutCredentials = (url: string): string => url.trim().replace(/^(\w+:\/\/)?[^@]*@/, '$1');
