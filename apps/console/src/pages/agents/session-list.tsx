import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../ui/button.tsx';
import { formatCountOf } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Badge, Failure, Skeleton } from '../../ui/page-state.tsx';
import { SideEntry, sideLinkClass, SideList } from '../../ui/side-list.tsx';
import { Age } from '../../ui/time.tsx';
import type { Agent } from './agents-query.ts';
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
    <SideList
      label="Sessions"
      head={
        <Link
          to="/agents/$agentId/chat"
          params={{ agentId: agent.id }}
          className={buttonClass()}
          onClick={onOpen}
        >
          <Icon name="plus" size={16} />
          New session
        </Link>
      }
      none="No sessions yet. Your first message begins one."
      onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
      isLoadingMore={list.isFetchingNextPage}
      entries={sessions.map((session) => (
        <li key={session.id}>
          <SessionLink agent={agent} session={session} onOpen={onOpen} />
        </li>
      ))}
    />
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
    className={sideLinkClass}
    onClick={onOpen}
  >
    <SideEntry title={session.title} note={<SessionNote session={session} />} />
  </Link>
);

const SessionNote = ({ session: { _count, createdAt, closed } }: { session: ListedSession }) => (
  <>
    {formatCountOf(_count.messages, 'message')} · <Age at={createdAt} />
    {closed && <Badge tone="warn">Read only</Badge>}
  </>
);
