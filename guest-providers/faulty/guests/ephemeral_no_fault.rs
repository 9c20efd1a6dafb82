//! No fault: what the others are spoiled from.

use keyhost_faulty_guests::faulty_ephemeral;

faulty_ephemeral! {}
