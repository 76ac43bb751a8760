import type { ReactElement } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import css from './field.module.css';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

export type MenuAction = {
  id: string;
  label: string;
  icon?: IconName;
  isDestructive?: boolean;
  onAction: () => void;
};

type MenuProps = {
  /** The button that opens the menu. */
  trigger: ReactElement;
  label: string;
  actions: readonly MenuAction[];
  /** Ids of actions that are marked as chosen. */
  selected?: readonly string[];
};

export const Menu = ({ trigger, label, actions, selected }: MenuProps) => (
  <MenuTrigger>
    {trigger}
    <Popover className={css.popover}>
      <AriaMenu
        aria-label={label}
        className={css.list}
        {...(selected ? { selectionMode: 'single', selectedKeys: selected } : {})}
      >
        {actions.map(({ id, label: text, icon, isDestructive = false, onAction }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={text}
            onAction={onAction}
            className={`${css.option} ${isDestructive ? css.destructive : ''}`}
          >
            {icon && <Icon name={icon} size={16} />}
            {text}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
