import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { readEvents } from '../../api/read-events.ts';
import type { ServerEvent } from '../../api/read-events.ts';
import { applyEvent, NEW_DEBATE } from './debate-state.ts';
import type { DebateState } from './debate-state.ts';

export type Connection =
  | { status: 'open' }
  | { status: 'reconnecting' }
  | { status: 'lost'; error: unknown };

type Followed = { debate: DebateState; connection: Connection; reconnect: () => void };

type DebateAddress = { conversationId: string; debateId: string };

/**
 * Follows a debate from its beginning to its end, and calls `onEnd` when it ends. A connection that
 * is lost continues after the last event that arrived.
 */
export const useDebate = (
  { conversationId, debateId }: DebateAddress,
  onEnd: () => void,
): Followed => {
  const [debate, dispatch] = useReducer(applyEvent, NEW_DEBATE);
  const [connection, setConnection] = useState<Connection>({ status: 'open' });
  const [attempt, setAttempt] = useState(0);
  const lastEventId = useRef<string>(undefined);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  }, [onEnd]);

  useEffect(() => {
    const stream = new AbortController();
    const conversation = encodeURIComponent(conversationId);
    const path = `/v1/conversations/${conversation}/debates/${encodeURIComponent(debateId)}/events`;
    const follow = async (): Promise<void> => {
      const events = readEvents(path, {
        signal: stream.signal,
        lastEventId: lastEventId.current,
        isLast,
        onReconnect: () => setConnection({ status: 'reconnecting' }),
      });
      for await (const event of events) {
        if (event.id === undefined && event.event === 'error') throw toError(event);
        lastEventId.current = event.id ?? lastEventId.current;
        setConnection(asOpen);
        dispatch(event);
      }
      setConnection(asOpen);
      end.current();
    };
    follow().catch((error: unknown) => {
      if (!stream.signal.aborted) setConnection({ status: 'lost', error });
    });
    return () => stream.abort();
  }, [conversationId, debateId, attempt]);

  const reconnect = useCallback(() => {
    setConnection({ status: 'reconnecting' });
    setAttempt((count) => count + 1);
  }, []);
  return { debate, connection, reconnect };
};

const isLast = ({ event }: ServerEvent): boolean => event === 'done' || event === 'error';

/** Keeps the object if nothing changes, so that an event does not render twice. */
const asOpen = (current: Connection): Connection =>
  current.status === 'open' ? current : { status: 'open' };

/** An error without a position ends the connection, not the debate. */
const toError = ({ data }: ServerEvent): Error => {
  const { error } = JSON.parse(data) as { error?: { message?: string } };
  return new Error(error?.message ?? 'The connection ended early.');
};
