#!/usr/bin/env perl
# A bot for Dominion that buys provinces, gold and silver. README.md says how to play it.

use strict;
use warnings;
use JSON::PP;    # comes with Perl

my $NAME  = "My Bot";
my %WORTH = (copper => 1, silver => 2, gold => 3);
my %COST  = (province => 8, gold => 6, silver => 3);
my @WANTED = ("province", "gold", "silver");    # what it buys, best first
my %supply;                                     # card -> how many are left

# The cards to buy: one at most.
sub choose {
    my ($money) = @_;
    for my $card (@WANTED) {
        return $card if $COST{$card} <= $money && $supply{$card} > 0;
    }
    return;
}

# Your turn: play a card, buy, or end the turn. You are asked until you end it.
sub play_turn {
    my ($turn) = @_;
    return {type => "play-reply", phase => "cleanup"} if $turn->{buys} == 0;
    my @treasures = grep { $WORTH{$_} } @{$turn->{hand}};
    my $money = $turn->{extra_money};
    $money += $WORTH{$_} for @treasures;
    return {
        type => "play-reply", phase => "buy",
        played_treasures => \@treasures, cards_to_buy => [choose($money)],
    };
}

# Another player's militia: discard so many cards of your hand.
sub discard {
    my ($options, $count) = @_;
    return {type => "attack-reply", discard => [@$options[0 .. $count - 1]]};
}

$| = 1;    # write every reply at once: the referee waits for it
while (my $line = <STDIN>) {
    last unless $line =~ /\n$/;    # cut off in the middle: the referee is gone
    my $message = decode_json($line);
    my $type = $message->{type} // "";
    my $reply;    # none to all other types, which are news about the game
    if ($type eq "player-name-request") {    # a match begins; it may not be the first
        $reply = {type => "player-name-reply", player_number => $message->{player_number},
            name => $NAME, version => 1, keep_alive => JSON::PP::true};
    }
    elsif ($type eq "supply-info") { %supply = map { $_->{card} => $_->{count} } @{$message->{cards}} }
    elsif ($type eq "play-turn") { $reply = play_turn($message) }
    elsif ($type eq "attack-request") { $reply = discard($message->{options}, $message->{discard}) }
    print encode_json($reply), "\n" if $reply;
}
