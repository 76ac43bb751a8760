import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import type { ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import css from './button.module.css';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger';

type ButtonProps = Omit<AriaButtonProps, 'className' | 'children'> & {
  kind?: Kind;
  icon?: IconName;
  children: ReactNode;
};

/** Returns the classes of a button, for links that look like one. */
export const buttonClass = (kind: Kind = 'secondary'): string => `${css.button} ${css[kind]}`;

/** A button; while `isPending` it keeps the focus, shows progress and does nothing. */
export const Button = ({ kind = 'secondary', icon, children, ...props }: ButtonProps) => (
  <AriaButton {...props} className={buttonClass(kind)}>
    {props.isPending ? (
      <span className={css.spinner} aria-hidden="true" />
    ) : (
      icon && <Icon name={icon} size={16} />
    )}
    {children}
  </AriaButton>
);

type IconButtonProps = Omit<AriaButtonProps, 'className' | 'children' | 'aria-label'> & {
  icon: IconName;
  label: string;
};

/** A button that shows an icon only; `label` is its name. */
export const IconButton = ({ icon, label, ...props }: IconButtonProps) => (
  <AriaButton {...props} aria-label={label} className={`${buttonClass('quiet')} ${css.icon}`}>
    <Icon name={icon} />
  </AriaButton>
);
