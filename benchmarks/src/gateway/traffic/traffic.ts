import { chatTraffic } from './chat-traffic.ts';
import { messagesTraffic } from './messages-traffic.ts';
import { responsesTraffic } from './responses-traffic.ts';
import type { Traffic } from './history.ts';

export type TrafficDialect = 'chat' | 'messages' | 'responses';

export const TRAFFIC: Readonly<Record<TrafficDialect, Traffic>> = {
  chat: chatTraffic,
  messages: messagesTraffic,
  responses: responsesTraffic,
};
