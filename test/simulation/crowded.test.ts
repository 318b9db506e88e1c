import { simulated } from './simulated.ts';

simulated('crowded');
