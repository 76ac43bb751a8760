import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, buttonClass } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Badge, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Age } from '../../ui/time.tsx';
import type { Agent } from './agents-query.ts';
import css from './chat.module.css';
import { sessionsQuery } from './sessions-query.ts';
import type { ListedSession } from './sessions-query.ts';

type SessionListProps = { agent: Agent; onOpen?: () => void };

/** The sessions of the agent, latest activity first. */
export const SessionList = ({ agent, onOpen }: SessionListProps) => {
  const list = useInfiniteQuery(sessionsQuery(agent.id));
  if (list.isPending) return <Skeleton lines={4} />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  const sessions = list.data.pages.flatMap((page) => page.sessions);
  return (
    <nav className={css.list} aria-label="Sessions">
      <Link
        to="/agents/$agentId/chat"
        params={{ agentId: agent.id }}
        className={buttonClass()}
        onClick={onOpen}
      >
        <Icon name="plus" size={16} />
        New session
      </Link>
      {sessions.length === 0 && (
        <p className={css.none}>No sessions yet. Your first message begins one.</p>
      )}
      <ul className={css.entries}>
        {sessions.map((session) => (
          <li key={session.id}>
            <SessionLink agent={agent} session={session} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          kind="quiet"
          isPending={list.isFetchingNextPage}
          onPress={() => void list.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </nav>
  );
};

type SessionLinkProps = {
  agent: Agent;
  session: ListedSession;
  onOpen: (() => void) | undefined;
};

const SessionLink = ({ agent, session, onOpen }: SessionLinkProps) => (
  <Link
    to="/agents/$agentId/chat"
    params={{ agentId: agent.id }}
    search={{ session: session.id }}
    activeOptions={{ includeSearch: true }}
    className={css.entry}
    onClick={onOpen}
  >
    <span className={css.entryTitle}>{session.title}</span>
    <span className={css.entryNote}>
      {formatCount(session._count.messages)} messages · <Age at={session.createdAt} />
      {session.closed && <Badge tone="warn">Read only</Badge>}
    </span>
  </Link>
);
