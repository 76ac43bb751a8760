import { EVENT_NAMES, invalidRequest } from '@witan/contracts';
import type { EventName } from '@witan/contracts';

export const isEventName = (text: string): text is EventName =>
  (EVENT_NAMES as readonly string[]).includes(text);

/**
 * Returns the event names without duplicates. Throws INVALID_REQUEST if the list is empty or
 * contains an unknown name.
 */
export const parseEventNames = (names: readonly string[]): EventName[] => {
  const known = names.filter(isEventName);
  if (names.length === 0 || known.length < names.length) {
    const message = `events must name one or more of ${EVENT_NAMES.join(', ')}.`;
    throw invalidRequest(message, { param: 'events' });
  }
  return [...new Set(known)];
};
