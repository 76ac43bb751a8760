import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../ui/format.ts';
import { Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { balanceQuery } from './usage-query.ts';
import { Figure } from './usage-total.tsx';
import css from './usage.module.css';

/** The token account of the workspace: what may be used, and what calls in flight hold. */
export const Account = () => {
  const balance = useQuery(balanceQuery);
  return (
    <Section
      title="Token account"
      actions={<Link to="/usage/entries">All entries</Link>}
      intro={
        balance.data?.metering === 'unmetered'
          ? 'Usage is recorded, but no call is refused: the operator does not meter this system.'
          : 'Calls are charged to this account, and refused when it is empty.'
      }
    >
      {balance.isPending ? (
        <Skeleton lines={2} />
      ) : balance.isError ? (
        <Failure error={balance.error} onRetry={() => void balance.refetch()} />
      ) : (
        <dl className={css.figures}>
          <Figure name="Available" note="Tokens that calls may still use">
            {balance.data.metering === 'unmetered'
              ? 'Not limited'
              : formatCount(balance.data.available)}
          </Figure>
          <Figure name="On hold" note="Reserved for calls in flight">
            {formatCount(balance.data.held)}
          </Figure>
          <Figure name="Balance" note="Credited and not used">
            {formatCount(balance.data.posted)}
          </Figure>
        </dl>
      )}
    </Section>
  );
};
