import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Failure, Skeleton } from '../../ui/page-state.tsx';
import { Age } from '../../ui/time.tsx';
import { conversationsQuery } from './conversations-query.ts';
import css from './council.module.css';

/** The past conversations, newest first. */
export const ConversationList = ({ onOpen }: { onOpen?: () => void }) => {
  const list = useInfiniteQuery(conversationsQuery);
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  const conversations = list.data.pages.flatMap((page) => page.conversations);
  return (
    <nav className={css.list} aria-label="Conversations">
      <h2 className={css.listTitle}>Conversations</h2>
      {conversations.length === 0 && (
        <p className={css.none}>No conversations yet. Your first question appears here.</p>
      )}
      <ul className={css.entries}>
        {conversations.map(({ id, title, createdAt }) => (
          <li key={id}>
            <Link
              to="/council/$conversationId"
              params={{ conversationId: id }}
              className={css.entry}
              onClick={onOpen}
            >
              <span className={css.entryTitle}>{title}</span>
              <span className={css.entryAge}>
                <Age at={createdAt} />
              </span>
            </Link>
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
