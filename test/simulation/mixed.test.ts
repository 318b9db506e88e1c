// Own process: it takes about a minute or more.
import { simulated } from './simulated.ts';

simulated('mixed');
