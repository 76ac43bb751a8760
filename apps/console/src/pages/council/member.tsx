import css from './council.module.css';
import type { Agent } from './debate-state.ts';

const COLORS = 6;

type MemberProps = { agent: Agent; index: number; isNamed?: boolean };

/** The initials of an agent in its color, and its name, which only screen readers may see. */
export const Member = ({ agent, index, isNamed = true }: MemberProps) => (
  <span className={css.member} data-color={(index % COLORS) + 1} title={agent.name}>
    <span className={css.initials} aria-hidden="true">
      {initialsOf(agent.name)}
    </span>
    <span className={isNamed ? css.memberName : 'visually-hidden'}>{agent.name}</span>
  </span>
);

const initialsOf = (name: string): string => {
  const [first = '', second = ''] = name
    .split(/[\s_-]+/)
    .filter((part) => /^[\p{L}\p{N}]/u.test(part));
  const [letter = '?', next = ''] = first;
  return (letter + (second[0] ?? next)).toUpperCase();
};

type MembersProps = { members: readonly Agent[]; council: readonly Agent[] };

/** A list of agents with their names. */
export const Members = ({ members, council }: MembersProps) => (
  <span className={css.members}>
    {members.map((agent) => (
      <Member key={agent.id} agent={agent} index={council.findIndex(({ id }) => id === agent.id)} />
    ))}
  </span>
);
