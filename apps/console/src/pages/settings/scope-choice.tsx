import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { canUse, useSession } from '../../app/session.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { MODULES } from './key-scopes.ts';
import type { Access, Grants } from './key-scopes.ts';
import css from './scope-choice.module.css';

const LEVELS: readonly { access: Access; label: string }[] = [
  { access: 'none', label: 'None' },
  { access: 'read', label: 'Read' },
  { access: 'all', label: 'Full' },
];

type ScopeChoiceProps = {
  value: Grants | 'everything';
  onChange: (value: Grants | 'everything') => void;
};

/** Offers the scopes that the session's own key may give to another key. */
export const ScopeChoice = ({ value, onChange }: ScopeChoiceProps) => {
  const session = useSession();
  const everything = value === 'everything';
  return (
    <fieldset className={css.scopes}>
      <legend className={css.legend}>Scopes</legend>
      {canUse(session, ['*']) && (
        <Checkbox
          isSelected={everything}
          onChange={(isSelected) => onChange(isSelected ? 'everything' : {})}
        >
          Everything, as the owner of the workspace
        </Checkbox>
      )}
      {!everything && (
        <div className={css.list} tabIndex={0} role="group" aria-label="Scopes by module">
          {MODULES.filter(({ id }) => canUse(session, [`${id}:read`])).map((module) => (
            <ModuleChoice
              key={module.id}
              {...module}
              mayGiveAll={canUse(session, [module.id])}
              access={value[module.id] ?? 'none'}
              onChange={(access) => onChange({ ...value, [module.id]: access })}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
};

type ModuleChoiceProps = {
  label: string;
  purpose: string;
  mayGiveAll: boolean;
  access: Access;
  onChange: (access: Access) => void;
};

const ModuleChoice = ({ label, purpose, mayGiveAll, access, onChange }: ModuleChoiceProps) => (
  <div className={css.module}>
    <span>
      {label}
      <span className={css.purpose}>{purpose}</span>
    </span>
    <RadioGroup
      aria-label={label}
      orientation="horizontal"
      value={access}
      onChange={(chosen) => onChange(chosen as Access)}
      className={css.access}
    >
      {LEVELS.filter((level) => mayGiveAll || level.access !== 'all').map((level) => (
        <Radio key={level.access} value={level.access} className={css.level}>
          {level.label}
        </Radio>
      ))}
    </RadioGroup>
  </div>
);
