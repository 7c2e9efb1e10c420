"""All flawed verifiers of the gallery, each with the cause that an audit must name."""

from __future__ import annotations

from audit.gallery.allowed_words import ALLOWED_AND_LOST
from audit.gallery.around import AROUND
from audit.gallery.as_allowed import NOT_AS_ALLOWED
from audit.gallery.beside import BESIDE
from audit.gallery.changed_inputs import CHANGED_INPUTS
from audit.gallery.collected import COLLECTED
from audit.gallery.conceded import NOT_CONCEDED
from audit.gallery.consistent_values import CONSISTENT
from audit.gallery.covering import COVERING
from audit.gallery.cunning import CUNNING
from audit.gallery.drawn_bounds import DRAWN_BOUNDS
from audit.gallery.eighth_hands import EIGHTH_HANDS
from audit.gallery.either_way import EITHER_WAY
from audit.gallery.fifth_hands import FIFTH_HANDS, SYNONYMS
from audit.gallery.foreseen import FORESEEN
from audit.gallery.fourth_hands import FOURTH_HANDS
from audit.gallery.granted_times import TIMES_NOT_KEPT
from audit.gallery.granted_words import OTHER_GRANTS
from audit.gallery.gullible import GULLIBLE
from audit.gallery.hidden import HIDDEN
from audit.gallery.in_force import IN_FORCE
from audit.gallery.invented import FENCED, INVENTED
from audit.gallery.laid_out import LAID_OUT
from audit.gallery.left_open import LEFT_OPEN
from audit.gallery.many_files import MANY_FILES
from audit.gallery.misreading import MISREADING
from audit.gallery.never_said import NEVER_SAID
from audit.gallery.ninth_hands import NINTH_HANDS
from audit.gallery.ninth_pairs import NINTH_PAIRS
from audit.gallery.other_hands import OTHER_HANDS
from audit.gallery.other_tongues import OTHER_FLAWED
from audit.gallery.outsiders import OUTSIDERS
from audit.gallery.own_scripts import OWN_SCRIPTS
from audit.gallery.own_terms import OWN_TERMS
from audit.gallery.patterned import PATTERNED
from audit.gallery.plain_decimals import PLAIN_DECIMALS
from audit.gallery.queries import QUERIES
from audit.gallery.records import LENIENT
from audit.gallery.rewritten import REWRITTEN
from audit.gallery.said_otherwise import SAID_OTHERWISE
from audit.gallery.seventh_hands import SEVENTH_HANDS
from audit.gallery.sixth_hands import SIXTH_HANDS
from audit.gallery.spellings import REFUSED
from audit.gallery.stated_margins import UNKEPT
from audit.gallery.styles import REFUSED_STYLES
from audit.gallery.third_hands import THIRD_HANDS
from audit.gallery.too_kind import TOO_KIND
from audit.gallery.unsteady import UNSTEADY
from audit.gallery.wrong_numbers import WRONG_NUMBERS

FLAWED = [
    *(*WRONG_NUMBERS, *UNSTEADY, *GULLIBLE, *MISREADING, *CUNNING, *AROUND, *HIDDEN, *OTHER_FLAWED),
    *(*OTHER_HANDS, *THIRD_HANDS, *FOURTH_HANDS, *FIFTH_HANDS, *SYNONYMS, *QUERIES, *OWN_TERMS),
    *(*OUTSIDERS, *REFUSED, *TOO_KIND, *LENIENT, *COLLECTED, *SIXTH_HANDS, *SEVENTH_HANDS, *REFUSED_STYLES),
    *(*NINTH_HANDS, *NINTH_PAIRS, *EIGHTH_HANDS, *LAID_OUT, *COVERING, *LEFT_OPEN, *BESIDE),
    *(*UNKEPT, *ALLOWED_AND_LOST, *CONSISTENT, *SAID_OTHERWISE, *NOT_CONCEDED),
    *(
        *INVENTED,
        *FENCED,
        *REWRITTEN,
        *IN_FORCE,
        *NEVER_SAID,
        *DRAWN_BOUNDS,
        *PLAIN_DECIMALS,
        *CHANGED_INPUTS,
        *OWN_SCRIPTS,
        *FORESEEN,
        *PATTERNED,
        *NOT_AS_ALLOWED,
    ),
    *(*MANY_FILES, *EITHER_WAY, *OTHER_GRANTS, *TIMES_NOT_KEPT),
]
